"""Institutions, their members, and how members sign in."""
