"""Shared components of the OpenAPI document: headers, parameters and error responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evref.adapters.inbound.rest.schemas import (
    InvalidParameterProblemSchema,
    ProblemSchema,
    QuotaExceededProblemSchema,
    RemovedDiagnosisProblemSchema,
)
from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.headers import RATE_LIMIT_FIELDS
from evref.adapters.inbound.web.problems import Problem

REQUEST_ID = "5f0c6a1e9b7d4a52"
_ETAG = '"0123456789abcdef0123456789abcdef"'

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Identifies this request in the log of the service: the id from the "
        "request if it was well-formed, or else a new one. Quote it when you contact the operator.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
        "example": REQUEST_ID,
    },
    "ETag": {
        "description": "A strong validator of the response body. Store it with the response and "
        "send it as `If-None-Match` in the next request. It differs by media type and content "
        "encoding.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[!#-~]+"$'},
        "example": _ETAG,
    },
    "Cache-Control": {
        "description": "Only the client may store the data, and it must revalidate the data "
        "before each use, because the service authorises and counts each request.",
        "required": True,
        "schema": {"type": "string", "const": "private, no-cache"},
    },
    "Vary": {
        "description": "The request headers on which the response body depends.",
        "required": True,
        "schema": {"type": "string"},
        "example": "Accept-Encoding",
    },
    "RateLimit-Policy": {
        "description": "The key's quota policy: `q` requests in a window of `w` seconds "
        "(draft-ietf-httpapi-ratelimit-headers).",
        "required": True,
        "schema": {"type": "string"},
        "example": '"daily";q=1000;w=86400',
    },
    "RateLimit": {
        "description": "The state of the quota: `r` requests remain, and the window ends in `t` "
        "seconds (draft-ietf-httpapi-ratelimit-headers).",
        "required": True,
        "schema": {"type": "string"},
        "example": '"daily";r=999;t=3600',
    },
    "X-RateLimit-Limit": {
        "description": "The daily request limit of the key; equals `q` of `RateLimit-Policy`.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 1000,
    },
    "X-RateLimit-Remaining": {
        "description": "The number of requests that remain today; equals `r` of `RateLimit`.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 999,
    },
    "X-RateLimit-Reset": {
        "description": "The end of the window, the next 00:00 UTC, in Unix time (seconds).",
        "required": True,
        "schema": {"type": "integer"},
        "example": 1795392000,
    },
    "Retry-After": {
        "description": "The number of seconds to wait before the next request.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
        "example": 3600,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750): without `error` if the request has no "
        "credentials, with `invalid_token` if the key is not valid, and with `insufficient_scope` "
        "if its permission is too low.",
        "required": True,
        "schema": {"type": "string"},
        "examples": {
            kind.slug: {
                "summary": kind.title,
                "value": problems.headers(kind, None)["WWW-Authenticate"],
            }
            for kind in (
                problems.MISSING_CREDENTIALS,
                problems.INVALID_API_KEY,
                problems.INSUFFICIENT_PERMISSION,
            )
        },
    },
}
ON_LINES: dict[str, dict[str, Any]] = {
    "Evref-Catalogue-Version": {
        "description": "With lines of JSON: the version of the catalogue.",
        "required": False,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "example": "0123456789abcdef",
    },
    "Link": {
        "description": "With lines of JSON: the licence (`rel=license`), and the page that says "
        "what the data is not (`rel=terms-of-service`).",
        "required": False,
        "schema": {"type": "string"},
    },
}
ON_SUCCESS = ("ETag", "Cache-Control", "Vary", "X-Request-ID", *RATE_LIMIT_FIELDS)

PARAMETERS: dict[str, dict[str, Any]] = {
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "The `ETag` of a stored response. If it is still current, the response is "
        "304 without a body.",
        "schema": {"type": "string", "examples": [_ETAG]},
    },
    "RequestId": {
        "name": "X-Request-ID",
        "description": "Your own id of this request, returned in the same header: 1 to 64 "
        "letters, digits, dots, underscores and hyphens. It must not look like an API key. The "
        "service replaces any other value.",
        "schema": {"type": "string", "examples": [REQUEST_ID]},
    },
}


@dataclass(frozen=True, slots=True)
class Failure:
    """An error response: the name of its component, its problem types and its headers."""

    name: str
    kinds: tuple[Problem, ...]
    headers: tuple[str, ...]
    schema: type[ProblemSchema] = ProblemSchema

    @property
    def description(self) -> str:
        return " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in self.kinds)


FAILURES = {
    "401": Failure(
        "Unauthorized",
        (problems.MISSING_CREDENTIALS, problems.INVALID_API_KEY),
        ("WWW-Authenticate",),
    ),
    "403": Failure("Forbidden", (problems.INSUFFICIENT_PERMISSION,), ("WWW-Authenticate",)),
    "404": Failure("NotFound", (problems.UNKNOWN_DIAGNOSIS,), RATE_LIMIT_FIELDS),
    "410": Failure(
        "Gone", (problems.REMOVED_DIAGNOSIS,), RATE_LIMIT_FIELDS, RemovedDiagnosisProblemSchema
    ),
    "406": Failure("NotAcceptable", (problems.NOT_ACCEPTABLE,), RATE_LIMIT_FIELDS),
    "422": Failure(
        "InvalidParameter",
        (problems.INVALID_PARAMETER,),
        RATE_LIMIT_FIELDS,
        InvalidParameterProblemSchema,
    ),
    "429": Failure(
        "QuotaExceeded",
        (problems.QUOTA_EXCEEDED,),
        ("Retry-After", *RATE_LIMIT_FIELDS),
        QuotaExceededProblemSchema,
    ),
    "500": Failure("InternalError", (problems.INTERNAL_ERROR,), ()),
    "503": Failure("ServiceUnavailable", (problems.SERVICE_UNAVAILABLE,), ("Retry-After",)),
}


def references(headers: tuple[str, ...]) -> dict[str, Any]:
    """Return references to these headers."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def headers_of_every_problem() -> dict[str, Any]:
    return {
        **references(("X-Request-ID",)),
        "Cache-Control": {
            "description": "Problems must not be stored.",
            "required": True,
            "schema": {"type": "string", "const": "no-store"},
        },
    }


def headers_of(failure: Failure) -> dict[str, Any]:
    """Return the headers of an error response, with those that all of them have."""
    found = references(failure.headers) | headers_of_every_problem()
    if failure.name == "InternalError":
        # The error can occur before the request is counted, or after.
        found |= {name: {**HEADERS[name], "required": False} for name in RATE_LIMIT_FIELDS}
    return found
