"""Stores the catalogue of evref in a JSON Lines file."""
