"""The OpenAPI 3.1 document: generated from the views and schemas, then finished here.

APIFlask derives operations, parameters and record schemas. What is the same for every operation
(credentials, headers, the ways to fail) is added from the tables that the service itself uses.
"""

from __future__ import annotations

import json
from typing import Any, cast

from apiflask import APIFlask
from apispec import APISpec
from flask import Blueprint, Response, current_app

from evref.adapters.inbound.http import examples, problems
from evref.adapters.inbound.http.fields import RATE_LIMIT_FIELDS
from evref.adapters.inbound.http.problems import Problem
from evref.adapters.inbound.http.representations import Representation, respond
from evref.adapters.inbound.http.schemas import (
    DISCLAIMER,
    InvalidParameterProblemSchema,
    ProblemSchema,
    QuotaExceededProblemSchema,
)

DESCRIPTION = f"""Diagnoses with their ICD-10 and ICD-11 codes, and the evidence-based
interventions for each, by module and phase.

**{DISCLAIMER}** The catalogue has not been reviewed by a clinician and is not complete for any
diagnosis.

Every request needs an API key, which a member of your institution makes in the institution
settings. Each key has a daily request limit, counted exactly over the UTC day; every answer says
in its headers what remains. Answers with the statuses 200, 304, 404 and 422 count one each.

What an answer holds depends only on the request and on `catalogue_version`. Keep answers with
their `ETag` and ask with `If-None-Match`: a 304 without a body tells that nothing has changed.

Records may gain members in later versions of this interface; ignore those that you do not know.
"""

_CACHE_CONTROL = "public, max-age=300"

_HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Names this request in the service's log: the one sent, where well-formed.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
        "example": "5f0c6a1e9b7d4a52",
    },
    "ETag": {
        "description": "A strong validator of this answer, for If-None-Match.",
        "schema": {"type": "string"},
        "example": '"0123456789abcdef0123456789abcdef"',
    },
    "Cache-Control": {
        "description": "May be kept by this client, but must be asked for anew each time.",
        "schema": {"type": "string"},
        "example": "private, no-cache",
    },
    "Vary": {
        "description": "The request headers on which the answer's bytes depend.",
        "schema": {"type": "string"},
        "example": "Accept-Encoding",
    },
    "RateLimit-Policy": {
        "description": "The key's quota policy: q requests in a window of w seconds "
        "(draft-ietf-httpapi-ratelimit-headers).",
        "schema": {"type": "string"},
        "example": '"daily";q=1000;w=86400',
    },
    "RateLimit": {
        "description": "r requests remain, and the window ends in t seconds.",
        "schema": {"type": "string"},
        "example": '"daily";r=999;t=3600',
    },
    "X-RateLimit-Limit": {
        "description": "The key's daily request limit.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 1000,
    },
    "X-RateLimit-Remaining": {
        "description": "Requests that remain today.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 999,
    },
    "X-RateLimit-Reset": {
        "description": "When the window ends, 00:00 UTC, in Unix time (seconds).",
        "schema": {"type": "integer"},
        "example": 1795392000,
    },
    "Retry-After": {
        "description": "Seconds to wait before asking again.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 3600,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750).",
        "schema": {"type": "string"},
        "example": problems.REALM,
    },
}

_PARAMETERS: dict[str, dict[str, Any]] = {
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "The ETag of an answer that the client has kept.",
        "schema": {"type": "string", "examples": ['"0123456789abcdef0123456789abcdef"']},
    },
    "RequestId": {
        "name": "X-Request-ID",
        "description": "The client's own id of this request; answered in the same header.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
    },
}

# Each way to fail: its component, the problems that it can be, and the headers it brings along.
_FAILURES: dict[str, tuple[str, tuple[Problem, ...], tuple[str, ...]]] = {
    "401": (
        "Unauthorized",
        (problems.MISSING_CREDENTIALS, problems.INVALID_API_KEY),
        ("WWW-Authenticate",),
    ),
    "403": ("Forbidden", (problems.INSUFFICIENT_PERMISSION,), ("WWW-Authenticate",)),
    "404": ("NotFound", (problems.UNKNOWN_DIAGNOSIS,), RATE_LIMIT_FIELDS),
    "422": ("InvalidParameter", (problems.INVALID_PARAMETER,), RATE_LIMIT_FIELDS),
    "429": (
        "QuotaExceeded",
        (problems.QUOTA_EXCEEDED,),
        ("Retry-After", *RATE_LIMIT_FIELDS),
    ),
    "500": ("InternalError", (problems.INTERNAL_ERROR,), RATE_LIMIT_FIELDS),
    "503": ("ServiceUnavailable", (problems.SERVICE_UNAVAILABLE,), ("Retry-After",)),
}
_SCHEMA_OF = {
    problems.INVALID_PARAMETER: InvalidParameterProblemSchema,
    problems.QUOTA_EXCEEDED: QuotaExceededProblemSchema,
}
_SUCCESS_HEADERS = ("ETag", "Cache-Control", "Vary", "X-Request-ID", *RATE_LIMIT_FIELDS)


def configure(app: APIFlask, base_url: str) -> None:
    """Tell APIFlask what it cannot derive, and finish what it generates."""
    app.config |= {
        "DESCRIPTION": DESCRIPTION,
        "SERVERS": [{"url": base_url}],
        "CONTACT": {"name": "The operator of this service", "url": base_url},
        "LICENSE": {
            "name": "MIT (code), CC BY 4.0 (catalogue)",
            "url": "https://creativecommons.org/licenses/by/4.0/",
        },
        "TAGS": [
            {
                "name": "Catalogue",
                "description": "Diagnoses, and the interventions for each.",
            }
        ],
        "EXTERNAL_DOCS": {
            "description": "What each problem type means",
            "url": f"{base_url}/problems",
        },
        "SECURITY_SCHEMES": {
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "evref_ and 46 letters and digits",
                "description": "An API key of your institution, sent as "
                "`Authorization: Bearer <API key>`. It is never read from anywhere else.",
            }
        },
        "AUTO_404_RESPONSE": False,
        "AUTO_AUTH_ERROR_RESPONSE": False,
        "AUTO_VALIDATION_ERROR_RESPONSE": False,
        "SPEC_PROCESSOR_PASS_OBJECT": True,
    }

    app.schema_name_resolver = _schema_name

    @app.spec_processor
    def finish(spec: Any) -> Any:
        return _finish(spec, base_url)


def _schema_name(schema: Any) -> str:
    """The name of a schema in the document: that of its class, without the ending."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def blueprint() -> Blueprint:
    """`/api/v1/openapi.json`: a download link for tools that send no key, and so public."""
    description = Blueprint("description", __name__, url_prefix="/api/v1")
    made: list[Representation] = []

    @description.get("/openapi.json")
    def openapi() -> Response:
        if not made:
            document = cast("APIFlask", current_app).spec
            body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
            made.append(Representation(body, "application/json"))
        return respond(made[0], _CACHE_CONTROL)

    return description


def _finish(spec: APISpec, base_url: str) -> APISpec:
    for name, header in _HEADERS.items():
        spec.components.header(name, header)
    for name, kinds, headers in _FAILURES.values():
        spec.components.response(name, _failure(kinds, headers, base_url))
    spec.components.response(
        "NotModified",
        {
            "description": "The client has this answer already: its If-None-Match named the ETag.",
            "headers": _header_references(_SUCCESS_HEADERS),
        },
    )
    for name, parameter in _PARAMETERS.items():
        spec.components.parameter(name, "header", parameter)
    answers = examples.answers()
    for path, methods in spec._paths.items():  # noqa: SLF001 - apispec offers no other way
        for operation in methods.values():
            _finish_operation(path, operation, answers)
    return spec


def _failure(kinds: tuple[Problem, ...], headers: tuple[str, ...], base_url: str) -> dict[str, Any]:
    schema = _SCHEMA_OF.get(kinds[0], ProblemSchema)
    return {
        "description": " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in kinds),
        "headers": _header_references((*headers, "X-Request-ID")),
        "content": {
            "application/problem+json": {
                "schema": schema,
                "examples": {
                    kind.slug: {
                        "summary": kind.title,
                        "value": examples.problem(kind, base_url),
                    }
                    for kind in kinds
                },
            }
        },
    }


def _finish_operation(path: str, operation: dict[str, Any], answers: dict[str, Any]) -> None:
    operation["security"] = [{"apiKey": []}]
    responses = operation["responses"]
    success = responses["200"]
    success["description"] = "The answer."
    success["headers"] = _header_references(_SUCCESS_HEADERS)
    success["content"]["application/json"]["examples"] = {
        "knee-osteoarthritis": {
            "summary": f"GET {examples.REQUESTS[operation['operationId']]}",
            "value": answers[operation["operationId"]],
        }
    }
    responses["304"] = {"$ref": "#/components/responses/NotModified"}
    for status, (name, _, _) in _FAILURES.items():
        if status != "404" or "{" in path:
            responses[status] = {"$ref": f"#/components/responses/{name}"}
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["description"] = "The id of a diagnosis."
            parameter["schema"] |= {"minLength": 1, "examples": ["knee-osteoarthritis"]}
    operation["parameters"] += [{"$ref": f"#/components/parameters/{name}"} for name in _PARAMETERS]


def _header_references(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
