"""What the OpenAPI document says once and refers to: headers, parameters, and the ways to fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evref.adapters.inbound.rest.schemas import (
    InvalidParameterProblemSchema,
    ProblemSchema,
    QuotaExceededProblemSchema,
)
from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.headers import RATE_LIMIT_FIELDS
from evref.adapters.inbound.web.problems import Problem

REQUEST_ID = "5f0c6a1e9b7d4a52"
_ETAG = '"0123456789abcdef0123456789abcdef"'

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Names this request in the service's log: the one that was sent, where it "
        "was well-formed, else a new one. Quote it when you ask the operator about a request.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
        "example": REQUEST_ID,
    },
    "ETag": {
        "description": "A strong validator of exactly these bytes: keep it with the answer, and "
        "send it as `If-None-Match` next time. It differs by media type and content encoding.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[!#-~]+"$'},
        "example": _ETAG,
    },
    "Cache-Control": {
        "description": "Data may be kept by this client alone, and must be asked for anew each "
        "time, since each use is authorised and counted.",
        "required": True,
        "schema": {"type": "string", "const": "private, no-cache"},
    },
    "Vary": {
        "description": "The request headers on which the answer's bytes depend.",
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
        "description": "Where the key stands: `r` requests remain, and the window ends in `t` "
        "seconds (draft-ietf-httpapi-ratelimit-headers).",
        "required": True,
        "schema": {"type": "string"},
        "example": '"daily";r=999;t=3600',
    },
    "X-RateLimit-Limit": {
        "description": "The key's daily request limit; as `q` of `RateLimit-Policy`.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 1000,
    },
    "X-RateLimit-Remaining": {
        "description": "Requests that remain today; as `r` of `RateLimit`.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
        "example": 999,
    },
    "X-RateLimit-Reset": {
        "description": "When the window ends, 00:00 UTC, in Unix time (seconds).",
        "required": True,
        "schema": {"type": "integer"},
        "example": 1795392000,
    },
    "Retry-After": {
        "description": "Seconds to wait before asking again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
        "example": 3600,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750): without `error` where there were no "
        "credentials, with `invalid_token` where the key is not valid, and with "
        "`insufficient_scope` where its permission level is too low.",
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
ON_SUCCESS = ("ETag", "Cache-Control", "Vary", "X-Request-ID", *RATE_LIMIT_FIELDS)

PARAMETERS: dict[str, dict[str, Any]] = {
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "The `ETag` of an answer that you have kept. Where it is still the same, "
        "the answer is 304 without a body.",
        "schema": {"type": "string", "examples": [_ETAG]},
    },
    "RequestId": {
        "name": "X-Request-ID",
        "description": "Your own id of this request, answered in the same header: 1 to 64 "
        "letters, digits, dots, underscores and hyphens, and nothing that looks like an "
        "API key. Any other is replaced.",
        "schema": {"type": "string", "examples": [REQUEST_ID]},
    },
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A way to fail: its component's name, the problems that it can be, and its headers."""

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
    """The headers of an answer, as references to those above."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def headers_of_every_problem() -> dict[str, Any]:
    return {
        **references(("X-Request-ID",)),
        "Cache-Control": {
            "description": "Problems must not be kept.",
            "required": True,
            "schema": {"type": "string", "const": "no-store"},
        },
    }


def headers_of(failure: Failure) -> dict[str, Any]:
    """The headers of a problem: its own, and those of every one."""
    found = references(failure.headers) | headers_of_every_problem()
    if failure.name == "InternalError":
        # A fault can come before a request is counted, or after.
        found |= {name: {**HEADERS[name], "required": False} for name in RATE_LIMIT_FIELDS}
    return found
