"""Keeps the catalogue of evref in a file of JSON lines."""
