"""Examples for the OpenAPI document: answers of this service on its bundled catalogue.

`examples.json` holds them as they were given; a test asks the service again and compares.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from evref.adapters.inbound.http import problems
from evref.adapters.inbound.http.problems import Problem

REQUESTS = {
    "listDiagnoses": "/api/v1/diagnoses?icd10=M17.1",
    "getDiagnosis": "/api/v1/diagnoses/knee-osteoarthritis",
    "listInterventions": "/api/v1/diagnoses/knee-osteoarthritis/interventions?module=fitt_vip",
}
"""The request behind the example of each operation."""

_DETAILS = {
    problems.MISSING_CREDENTIALS: str(problems.MissingCredentialsError()),
    problems.INVALID_API_KEY: "The API key is not valid.",
    problems.INSUFFICIENT_PERMISSION: "The permission level of this API key does not allow this.",
    problems.UNKNOWN_DIAGNOSIS: "The catalogue has no diagnosis with this id.",
    problems.INVALID_PARAMETER: "Not valid: phase.",
    problems.QUOTA_EXCEEDED: "The daily limit of 1000 requests is used up.",
    problems.SERVICE_UNAVAILABLE: "Storage is out of reach.",
    problems.INTERNAL_ERROR: "The log has the details under the request id.",
}
_MORE: dict[Problem, dict[str, Any]] = {
    problems.INVALID_PARAMETER: {
        "errors": [
            {
                "parameter": "phase",
                "message": "is not one of the allowed values",
                "allowed": ["acute", "subacute", "chronic"],
            }
        ]
    },
    problems.QUOTA_EXCEEDED: {"violated-policies": ["daily"]},
}


def answers() -> dict[str, Any]:
    """The body of the answer to each of `REQUESTS`, by operationId."""
    text = resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def problem(kind: Problem, base_url: str) -> dict[str, Any]:
    """The body of a problem of this kind."""
    return {
        "type": kind.type_uri(base_url),
        "title": kind.title,
        "status": int(kind.status),
        "detail": _DETAILS[kind],
        "instance": "/api/v1/diagnoses/knee-osteoarthritis/interventions",
        "request_id": "5f0c6a1e9b7d4a52",
        **_MORE.get(kind, {}),
    }
