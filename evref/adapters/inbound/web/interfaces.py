"""The interfaces of the service: their paths, their views, and how they render problems."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, render_template, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.headers import (
    QUOTA,
    decoded_path,
    log_fields,
    request_id,
    shown_path,
)
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.problems import PROBLEMS, ProblemDetails
from evref.adapters.inbound.web.representations import (
    NEVER,
    RawResponse,
    compressed_where_accepted,
)
from evref.domain.access.quota import QuotaExceededError
from evref.domain.errors import StorageUnavailableError

log = logging.getLogger(__name__)

_LONGEST_SHOWN = 100
"""Characters; a longer path is not repeated."""

# Stored, because json.dumps creates an encoder for each call with options.
_JSON = json.JSONEncoder(ensure_ascii=False)

Render: TypeAlias = Callable[[ProblemDetails, WSGIEnvironment], RawResponse]
"""Renders a problem in the form of an interface.

If the interface has cached responses, this is also called outside of Flask.
"""


@dataclass(frozen=True, slots=True)
class Interface:
    """A way into the service, such as FHIR, by an entry point of the group `evref.interfaces`.

    It has the path `root` and all paths below it. `blueprints` makes its views. Problems are
    rendered by `render_problem`, or as a page. If it is `cross_origin`, scripts from other origins
    may call it (CORS).
    """

    root: str
    blueprints: Callable[[Host], Iterable[Blueprint]]
    render_problem: Render | None = None
    cross_origin: bool = False

    def has(self, path: str) -> bool:
        return path == self.root or path.startswith(f"{self.root}/")


@dataclass(frozen=True, slots=True)
class Interfaces:
    """All interfaces that are served, by name, and their responses to failed requests.

    The URLs of problem types begin with `base_url`.
    """

    by_name: Mapping[str, Interface]
    base_url: str

    def at(self, path: str) -> Interface | None:
        """Return the interface of a path, ignoring case and repeated slashes.

        Such a path is not found, but a program still gets the problem in the format of its
        interface.
        """
        path = "/" + path.lower().lstrip("/")
        return next((known for known in self.by_name.values() if known.has(path)), None)

    def is_cross_origin(self, path: str) -> bool:
        interface = self.at(path)
        return interface is not None and interface.cross_origin

    def cross_origin(self) -> tuple[str, ...]:
        """Return the roots of the interfaces that scripts from other origins may call."""
        return tuple(known.root for known in self.by_name.values() if known.cross_origin)

    def response(self, error: Exception) -> Response:
        raw = self.raw_response(error, request.environ)
        return compressed_where_accepted(Response(raw.body, raw.status, raw.headers))

    def raw_response(self, error: Exception, environ: WSGIEnvironment) -> RawResponse:
        if isinstance(error, HTTPException):
            details = self._http_details(error, environ)
        else:
            details = self._details(error, environ)
        interface = self.at(environ["PATH_INFO"])
        render = (interface and interface.render_problem) or _as_page
        return render(details, environ)

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
        return problems.details_of(error, self.base_url)

    def _http_details(self, error: HTTPException, environ: WSGIEnvironment) -> ProblemDetails:
        status = error.code or 500
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            detail = f"The address accepts {allowed}."
            details = PROBLEMS["method-not-allowed"].details(detail, self.base_url)
            details.headers["Allow"] = allowed
            return details
        if status == HTTPStatus.NOT_FOUND:
            return PROBLEMS["not-found"].details(self._what_is_missing(environ), self.base_url)
        # RFC 9457, section 4.2.1: a problem with no meaning beyond its status.
        detail = "The service did not process the request."
        return ProblemDetails("about:blank", error.name, status, detail)

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
            documents = f"{self.base_url}/api/v1/openapi.json", f"{self.base_url}/docs"
            reasons.append("the API is described in " + " and ".join(documents))
        return f"There is nothing{named}{': ' if reasons else ''}{', and '.join(reasons)}."


def _as_page(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    page = render_template("error.html", problem=members(problem, environ))
    return problem_response(problem, "text/html; charset=utf-8", page)


def members(problem: ProblemDetails, environ: WSGIEnvironment) -> dict[str, Any]:
    return {
        "type": problem.type,
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        **problem.extensions,
        "instance": quote(shown_path(environ)),
        "request_id": request_id(environ),
    }


def json_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    """Return the response in JSON (RFC 9457, section 3)."""
    text = _JSON.encode(members(problem, environ))
    return problem_response(problem, "application/problem+json", text)


def problem_response(
    problem: ProblemDetails, content_type: str, text: str, *, status: int | None = None
) -> RawResponse:
    """Return the response with a problem that an interface has rendered; it must not be cached.

    `status` is the problem's status, unless the interface uses another one for it.
    """
    body = text.encode()
    headers = [
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
        ("Cache-Control", NEVER),
        *problem.headers.items(),
    ]
    return RawResponse(_status_line(status or problem.status), headers, [body])


@cache
def _status_line(status: int) -> str:
    return f"{status:d} {HTTPStatus(status).phrase.upper()}"
