"""The institution settings: pages on which members manage API keys and members."""
