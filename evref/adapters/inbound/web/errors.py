"""Converts exceptions to problems, which the interface of the request renders, or else a page.

Another page explains each type of problem.
"""

import logging
from http import HTTPStatus
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Flask, Response, abort, render_template, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.headers import (
    QUOTA,
    decoded_path,
    log_fields,
    request_id,
    shown_path,
)
from evref.adapters.inbound.web.interfaces import Interfaces, members, problem_response
from evref.adapters.inbound.web.problems import DOCUMENTED, PROBLEMS, ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse, compressed_where_accepted
from evref.domain.access.quota import QuotaExceededError
from evref.domain.errors import StorageUnavailableError

log = logging.getLogger(__name__)

_LONGEST_SHOWN = 100
"""Characters; a longer path is not repeated."""


class ErrorResponses:
    """Creates the responses to failed requests; the URLs of problem types begin with `base_url`."""

    def __init__(self, base_url: str, interfaces: Interfaces) -> None:
        self._base_url = base_url
        self._interfaces = interfaces

    def register(self, app: Flask) -> None:
        """Register handlers for all errors of the application and of the framework."""
        app.register_error_handler(Exception, self._handle)

    def raw_response(self, error: Exception, environ: WSGIEnvironment) -> RawResponse:
        if isinstance(error, HTTPException):
            details = self._http_details(error, environ)
        else:
            details = self._details(error, environ)
        interface = self._interfaces.at(environ["PATH_INFO"])
        render = (interface and interface.render_problem) or _as_page
        return render(details, environ)

    def _handle(self, error: Exception) -> Response:
        raw = self.raw_response(error, request.environ)
        return compressed_where_accepted(Response(raw.body, raw.status, raw.headers))

    def _details(self, error: Exception, environ: WSGIEnvironment) -> ProblemDetails:
        if isinstance(error, QuotaExceededError):
            environ[QUOTA] = error.quota
        if isinstance(error, StorageUnavailableError):
            reason = f"storage is out of reach: {error.reason}"
            log.error("request %s: %s", request_id(environ), reason, extra=log_fields(environ))
        elif problems.problem_of(error) is None:
            log.error(
                "request %s failed", request_id(environ), exc_info=error, extra=log_fields(environ)
            )
        return problems.details_of(error, self._base_url)

    def _http_details(self, error: HTTPException, environ: WSGIEnvironment) -> ProblemDetails:
        status = error.code or 500
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            details = self._of_type("method-not-allowed", f"The address accepts {allowed}.")
            details.headers["Allow"] = allowed
            return details
        if status == HTTPStatus.NOT_FOUND:
            return self._of_type("not-found", self._what_is_missing(environ))
        # RFC 9457, section 4.2.1: a problem with no meaning beyond its status.
        detail = "The service did not process the request."
        return ProblemDetails("about:blank", error.name, status, detail)

    def _of_type(self, slug: str, detail: str) -> ProblemDetails:
        return PROBLEMS[slug].details(detail, self._base_url)

    def _what_is_missing(self, environ: WSGIEnvironment) -> str:
        """Return a sentence that names the path, and what in its spelling no path has."""
        path, shown = decoded_path(environ), shown_path(environ)
        reasons = []
        if "//" in path:
            reasons.append("no path has two slashes in a row")
        if len(path) > 1 and path.endswith("/"):
            reasons.append("no path ends with a slash")
        if path != path.lower() and path.lower().startswith("/api/"):
            reasons.append("paths of the API are in lower case")
        named = f" at {shown}" if len(shown) <= _LONGEST_SHOWN else " at this path"
        if path.rstrip("/").lower() in {"/api", "/api/v1"}:
            documents = f"{self._base_url}/api/v1/openapi.json", f"{self._base_url}/docs"
            reasons.append("the API is described in " + " and ".join(documents))
        return f"There is nothing{named}{': ' if reasons else ''}{', and '.join(reasons)}."


def _as_page(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
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
