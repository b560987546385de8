"""The REST interface, `/api/v1`.

`diagnoses` has the views; `parameters` and `schemas` define requests and responses; `openapi`
completes the OpenAPI document, from `components`, `enumerations` and `examples`.
"""
