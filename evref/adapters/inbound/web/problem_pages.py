"""Problems as pages: one for a request that failed, and one that explains each type."""

from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, abort, render_template

from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.interfaces import members, problem_response
from evref.adapters.inbound.web.problems import DOCUMENTED, ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse


def render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    """Return a problem as a page, for interfaces that have no form of their own."""
    page = render_template("error.html", problem=members(problem, environ))
    return problem_response(problem, "text/html; charset=utf-8", page)


def blueprint(frame: Frame) -> Blueprint:
    """Return the pages that explain the types of problems."""
    pages = frame.blueprint("problems", __name__)

    @pages.get("/problems")
    def all_problems() -> Response:
        return frame.page("problems.html", lambda: {"problems": DOCUMENTED.values()})

    @pages.get("/problems/<slug>")
    def problem(slug: str) -> Response:
        if slug not in DOCUMENTED:
            abort(404)
        return frame.page("problem.html", lambda: {"problem": DOCUMENTED[slug]})

    return pages
