"""The REST API, `/api/v1`, and the OpenAPI document that describes it."""
