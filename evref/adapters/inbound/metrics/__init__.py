"""Endpoints for operators and their tools."""
