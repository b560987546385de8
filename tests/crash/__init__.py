"""Processes that are killed while they change something: afterwards old or new, never between."""
