"""The catalogue as pages: the same data and use cases as the API, but requests are not counted."""
