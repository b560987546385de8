"""Examples for the OpenAPI document: responses of this service with its bundled catalogue.

They are stored in `examples.json`; a test repeats the requests and compares the responses.
"""

import json
from functools import cache
from importlib import resources
from typing import Any

from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.problems import Problem

_KNEE = "/api/v1/diagnoses/knee-osteoarthritis"

REQUESTS = {
    "listDiagnoses": {
        "by-code": "/api/v1/diagnoses?icd10=M17.1",
        "several-codes": "/api/v1/diagnoses?icd10=M17.11,m171,M17.1%20V,M17.1%20A,B05,hello",
        "none-found": "/api/v1/diagnoses?icd10=B05",
        "by-words": "/api/v1/diagnoses?q=wear%20and%20tear%20of%20the%20knee",
    },
    "searchInterventions": {
        "one-found": "/api/v1/interventions?q=tai%20chi&limit=1",
        "none-found": "/api/v1/interventions?q=riluzole",
    },
    "getDiagnosis": {"knee-osteoarthritis": _KNEE},
    "listInterventions": {
        "one-module": f"{_KNEE}/interventions?module=fitt_vip",
        "none-found": f"{_KNEE}/interventions?module=fitt_vip&phase=acute",
    },
    "getCatalogue": {"first-record": "/api/v1/catalogue"},
    "listChanges": {"newest": "/api/v1/changes?limit=1"},
    "getLimit": {"after-some-requests": "/api/v1/limit"},
}
"""The requests behind the examples of each operation."""

FAILING_REQUESTS = {
    problems.MISSING_CREDENTIALS: {"missing-credentials": "/api/v1/diagnoses"},
    problems.INVALID_API_KEY: {"invalid-api-key": "/api/v1/diagnoses"},
    problems.INSUFFICIENT_PERMISSION: {"insufficient-permission": "/api/v1/diagnoses"},
    problems.UNKNOWN_DIAGNOSIS: {"unknown-diagnosis": "/api/v1/diagnoses/knee-arthritis"},
    problems.REMOVED_DIAGNOSIS: {"removed-diagnosis": "/api/v1/diagnoses/asthma"},
    problems.NOT_ACCEPTABLE: {"not-acceptable": "/api/v1/catalogue"},
    problems.PRECONDITION_FAILED: {"precondition-failed": _KNEE},
    problems.INVALID_PARAMETER: {
        "value-not-allowed": f"{_KNEE}/interventions?phase=late",
        "unknown-parameter": f"{_KNEE}/interventions?modul=home",
        "malformed-code": "/api/v1/diagnoses?icd10=M15-M19",
    },
    problems.QUOTA_EXCEEDED: {"quota-exceeded": "/api/v1/diagnoses"},
    problems.SERVICE_UNAVAILABLE: {"service-unavailable": "/api/v1/diagnoses"},
    problems.INTERNAL_ERROR: {"internal-error": "/api/v1/diagnoses"},
}
"""The requests behind the examples of each problem, in a state that causes the problem."""


def answers(operation_id: str) -> dict[str, Any]:
    """The examples of an operation's responses, as in the document; empty if there are none."""
    return {
        name: {"summary": f"GET {path}", "value": _stored()[name_of(operation_id, name)]}
        for name, path in REQUESTS.get(operation_id, {}).items()
    }


def problem(kind: Problem, base_url: str) -> dict[str, Any]:
    """The examples of a problem of a service at `base_url`, as in the document."""
    return {
        name: {
            "summary": f"{kind.title}: GET {path}",
            "value": {**_stored()[name_of(kind.slug, name)], "type": kind.type_uri(base_url)},
        }
        for name, path in FAILING_REQUESTS[kind].items()
    }


def name_of(group: str, name: str) -> str:
    """The key of an operation or a problem in `examples.json`."""
    return f"{group}/{name}"


@cache
def _stored() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored
