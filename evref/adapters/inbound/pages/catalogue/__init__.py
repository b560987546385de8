"""The catalogue for readers: the same data as the interface, by the same use cases, uncounted.

`blueprint` has the views; `search` reads what a person typed, `query` the filters, strictly;
`words` says in plain English what the enumerations mean; `drawing` lays out what the templates
draw.
"""
