"""Stores the API keys of evref, and their counts, in a database of one's own."""
