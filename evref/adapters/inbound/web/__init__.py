"""The code that all HTTP interfaces share, from the server to a view and back."""
