"""The pages as an interface of the service: problems are rendered as pages."""

from wsgiref.types import WSGIEnvironment

from flask import render_template

from evref.adapters.inbound.web.interfaces import HttpInterface, members, problem_response
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse


def _render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    page = render_template("error.html", problem=members(problem, environ))
    return problem_response(problem, "text/html; charset=utf-8", page)


PAGES = HttpInterface("/", _render_problem)
"""The fallback for paths of no other interface, so that an unknown path shows a page."""
