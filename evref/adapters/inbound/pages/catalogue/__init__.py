"""The catalogue for readers: the same data and use cases as the API, without counting."""
