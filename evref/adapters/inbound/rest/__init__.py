"""The REST interface, `/api/v1`.

`diagnoses` holds the views; `parameters` and `schemas` say what goes in and out; `openapi` finishes
the OpenAPI document, from `components`, `enumerations` and `examples`.
"""
