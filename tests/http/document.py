"""Checks each response against the OpenAPI document that the service publishes."""

from __future__ import annotations

import gzip
import json
import re
from functools import cached_property
from typing import Any

from apiflask import APIFlask
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]
from werkzeug.test import TestResponse

# Part of HTTP itself, or in every response: no operation declares them.
_UNDECLARED = {
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    "Content-Encoding",
    "Content-Length",
    "Content-Security-Policy",
    "Content-Type",
    "Referrer-Policy",
    "Vary",
    "X-Content-Type-Options",
}


class Document:
    """Checks responses against the OpenAPI document."""

    def __init__(self, app: APIFlask) -> None:
        self._app = app

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = self._app.spec  # type: ignore[assignment]
        return document

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
        return [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), item)
            for path, item in self._document["paths"].items()
        ]

    def check(self, method: str, path: str, response: TestResponse) -> None:
        """Check that the document declares this status, these headers and this body.

        Paths and methods that are not in the document are not checked.
        """
        item = next((item for form, item in self._paths if form.fullmatch(path)), {})
        if method not in {"GET", "HEAD"} or "get" not in item:
            return
        declared = item["get"]["responses"]
        assert str(response.status_code) in declared, f"{response.status} is not declared"

        promised = self.resolved(declared[str(response.status_code)])
        self._check_headers(promised.get("headers", {}), response)
        if method == "GET" and response.status_code != 304:
            schema = promised["content"][response.mimetype]["schema"]
            if response.mimetype == "application/x-ndjson":
                self._check_lines(plain_body(response).decode())
            else:
                self.check_value(schema, json.loads(plain_body(response)))

    def _check_lines(self, text: str) -> None:
        # OpenAPI 3.1 has no schema for lines, so the document describes them only in words.
        assert not text or text.endswith("\n")
        for line in text.split("\n")[:-1]:
            self.check_value({"$ref": "#/components/schemas/CatalogueEntry"}, json.loads(line))

    def check_value(self, schema: dict[str, Any], value: Any) -> None:
        """Check that the value meets a schema of the document."""
        with_components = {**schema, "components": self._document["components"]}
        Draft202012Validator(with_components, format_checker=FormatChecker()).validate(value)

    def resolved(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return what a reference of the document refers to, or any other value as it is."""
        if "$ref" not in value:
            return value
        target: Any = self._document
        for step in value["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        assert isinstance(target, dict)
        return target

    def _check_headers(self, declared: dict[str, Any], response: TestResponse) -> None:
        undeclared = set(response.headers.keys()) - set(declared) - _UNDECLARED
        assert not undeclared, f"{response.status} has the undeclared headers {undeclared}"
        for name, header in declared.items():
            text = response.headers.get(name)
            described = self.resolved(header)
            schema = described["schema"]
            if text is None:
                assert not described["required"], f"{response.status} lacks {name}"
            else:
                self.check_value(schema, int(text) if schema["type"] == "integer" else text)


def plain_body(response: TestResponse) -> bytes:
    """Return the body of the response, decompressed if necessary."""
    body = response.get_data()
    return gzip.decompress(body) if response.content_encoding == "gzip" else body
