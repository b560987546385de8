"""Endpoints for operators and their tools: `health` and `metrics`."""
