"""The REST API as an interface of the service: problems are `application/problem+json`."""

import json
from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

from evref.adapters.inbound.web.headers import request_id, shown_path
from evref.adapters.inbound.web.interfaces import HttpInterface, problem_response
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse

# Kept, because json.dumps makes an encoder for each call with options.
_JSON = json.JSONEncoder(ensure_ascii=False)


def _render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    members = problem.members | {
        "instance": quote(shown_path(environ)),
        "request_id": request_id(environ),
    }
    return problem_response(problem, "application/problem+json", _JSON.encode(members))


REST_API = HttpInterface("/api", _render_problem, cross_origin=True)
