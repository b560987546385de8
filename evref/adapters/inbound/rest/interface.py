"""The REST API as an interface of the service: problems are `application/problem+json`."""

import json
from wsgiref.types import WSGIEnvironment

from evref.adapters.inbound.web.interfaces import HttpInterface, members, problem_response
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse

# Kept, because json.dumps makes an encoder for each call with options.
_JSON = json.JSONEncoder(ensure_ascii=False)


def _render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    text = _JSON.encode(members(problem, environ))
    return problem_response(problem, "application/problem+json", text)


REST_API = HttpInterface("/api", _render_problem, cross_origin=True)
