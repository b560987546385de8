"""Problems as OperationOutcome resources."""

import json
import re
from http import HTTPStatus
from typing import Any
from wsgiref.types import WSGIEnvironment

from evref.adapters.inbound.fhir.mappings import ISSUE_TYPES
from evref.adapters.inbound.web.headers import request_id
from evref.adapters.inbound.web.problems import UNNAMED, ProblemDetails, problem_response
from evref.adapters.inbound.web.representations import RawResponse

ROOT = "/fhir"
MEDIA_TYPE = "application/fhir+json"

_TYPE = re.compile(r"(?P<system>https?://.+)[/#](?P<code>[a-z-]+)")


def render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    status = problem.status
    # In FHIR, 422 is for resources that break a rule, and 400 for a query (R4, http, search).
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        status = HTTPStatus.BAD_REQUEST
    outcome = {"resourceType": "OperationOutcome", "issue": _issues(problem, environ)}
    text = json.dumps(outcome, ensure_ascii=False)
    return problem_response(problem, MEDIA_TYPE, text, status=status)


def _issues(problem: ProblemDetails, environ: WSGIEnvironment) -> list[dict[str, Any]]:
    """Return an issue for each invalid parameter, or a single issue for the problem."""
    faults = problem.extensions.get("errors")
    texts = (
        [
            f"{fault['parameter'] or UNNAMED} {fault['message']}. "
            f"Allowed: {'; '.join(fault['allowed'])}."
            for fault in faults
        ]
        if faults
        else [f"{problem.title}. {problem.detail}"]
    )
    # The title of a problem without a type only repeats its status (RFC 9457, section 4.2.1).
    named = _TYPE.fullmatch(problem.type)
    coding = {"coding": [named.groupdict()]} if named else {}
    return [
        {
            "severity": "error",
            "code": ISSUE_TYPES.get(named["code"], "processing") if named else "processing",
            "details": {**coding, "text": text},
            "diagnostics": f"Request id: {request_id(environ)}",
        }
        for text in texts
    ]
