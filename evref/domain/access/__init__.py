"""API keys and their daily request limit."""
