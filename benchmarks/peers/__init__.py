"""Typical implementations of the same API with other tools, for comparison."""
