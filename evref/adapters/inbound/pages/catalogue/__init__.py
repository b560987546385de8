"""The catalogue for readers: the same data and use cases as the API, without counting.

`blueprint` has the views; `search` interprets the search text; `query` validates the filters;
`words` has plain English for the enumerations; `drawing` computes the geometry for the templates.
"""
