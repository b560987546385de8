"""Shared components of the OpenAPI document: headers, parameters and error responses."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from evref.adapters.inbound.rest.schema_fields import (
    Record,
    day,
    list_of,
    number,
    status,
    text,
    texts,
)
from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.headers import RATE_LIMIT_FIELDS
from evref.adapters.inbound.web.problems import Problem
from evref.adapters.inbound.web.representations import NEVER, PRIVATE

REQUEST_ID = "5f0c6a1e9b7d4a52"
_ETAG = '"0123456789abcdef0123456789abcdef"'


def _header(description: str, example: object, **schema: Any) -> dict[str, Any]:
    return {
        "description": description,
        "required": True,
        "schema": {"type": "string", **schema},
        "example": example,
    }


def _fixed(description: str, value: str) -> dict[str, Any]:
    schema = {"type": "string", "const": value}
    return {"description": description, "required": True, "schema": schema}


HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": _header(
        "Identifies this request in the log of the service: the id from the request if it was "
        "well-formed, or else a new one. Quote it when you contact the operator.",
        REQUEST_ID,
        pattern="^[A-Za-z0-9._-]{1,64}$",
    ),
    "ETag": _header(
        "A strong validator of the response body. Store it with the response and send it as "
        "`If-None-Match` in the next request. It differs by media type and content encoding.",
        _ETAG,
        pattern='^"[!#-~]+"$',
    ),
    "Cache-Control": _fixed(
        "Only the client may store the data, and it must revalidate the data before each use, "
        "because the service authorises and counts each request.",
        PRIVATE,
    ),
    "Vary": _header("The request headers on which the response body depends.", "Accept-Encoding"),
    "RateLimit-Policy": _header(
        "The key's quota policy: `q` requests in a window of `w` seconds "
        "(draft-ietf-httpapi-ratelimit-headers).",
        '"daily";q=1000;w=86400',
    ),
    "RateLimit": _header(
        "The state of the quota: `r` requests remain, and the window ends in `t` seconds "
        "(draft-ietf-httpapi-ratelimit-headers).",
        '"daily";r=999;t=3600',
    ),
    "X-RateLimit-Limit": _header(
        "The daily request limit of the key; equals `q` of `RateLimit-Policy`.",
        1000,
        type="integer",
        minimum=0,
    ),
    "X-RateLimit-Remaining": _header(
        "The number of requests that remain today; equals `r` of `RateLimit`.",
        999,
        type="integer",
        minimum=0,
    ),
    "X-RateLimit-Reset": _header(
        "The end of the window, the next 00:00 UTC, in Unix time (seconds).",
        1795392000,
        type="integer",
    ),
    "Retry-After": _header(
        "The number of seconds to wait before the next request.", 3600, type="integer", minimum=1
    ),
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
        "description": "With lines of JSON: the licence (`rel=license`), and the page on the "
        "limits of the data (`rel=terms-of-service`).",
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


class ProblemSchema(Record):
    """Problem details (RFC 9457). Branch on the type; the texts are for people and may change."""

    type = text(
        "Identifies the problem type; the address of a page that explains it.", format="uri"
    )
    title = text("A short summary of the problem type.")
    status = number("The HTTP status.")
    detail = text("An explanation of this occurrence.")
    instance = text("The request's path.")
    request_id = text(
        "Identifies this request in the log of the service; also sent as X-Request-ID."
    )


class ParameterFaultSchema(Record):
    """An error in a query parameter."""

    parameter = text("The parameter's name.")
    message = text("What is wrong with it.")
    allowed = texts("The allowed values, or a description of them.")


class InvalidParameterProblemSchema(ProblemSchema):
    """Problem details for query parameters, with every error in the query."""

    status = status(HTTPStatus.UNPROCESSABLE_ENTITY)
    errors = list_of(ParameterFaultSchema, "Every error in the query.", minItems=1)


class RemovedDiagnosisProblemSchema(ProblemSchema):
    """Problem details for a diagnosis that was removed."""

    status = status(HTTPStatus.GONE)
    removed_on = day("The day of the removal, in UTC.")


class QuotaExceededProblemSchema(ProblemSchema):
    """Problem details of the registered type quota-exceeded
    (draft-ietf-httpapi-ratelimit-headers).
    """

    status = status(HTTPStatus.TOO_MANY_REQUESTS)
    violated_policies = texts(
        "The names of the quota policies that the request violated, as in the field "
        "RateLimit-Policy.",
        data_key="violated-policies",
        examples=[["daily"]],
    )


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
    "412": Failure("PreconditionFailed", (problems.PRECONDITION_FAILED,), RATE_LIMIT_FIELDS),
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


TOO_LONG = {
    "414": (
        "UriTooLong",
        "The address is too long. The server, or a proxy in front, sends this response.",
    ),
    "431": (
        "HeadersTooLong",
        "The header fields are too long. The server, or a proxy in front, sends this response.",
    ),
}
"""The name and description, by status, of responses to requests that do not reach the service."""


def references(headers: tuple[str, ...]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def headers_of(failure: Failure) -> dict[str, Any]:
    """Return the headers of an error response, including the headers of every error."""
    described = references((*failure.headers, "X-Request-ID"))
    described["Cache-Control"] = _fixed("Problems must not be stored.", NEVER)
    if failure.name == "InternalError":
        # The error can occur before or after the request is counted.
        described |= {name: {**HEADERS[name], "required": False} for name in RATE_LIMIT_FIELDS}
    return described
