"""What all HTTP interfaces share: the path of a request from the server to a view and back."""
