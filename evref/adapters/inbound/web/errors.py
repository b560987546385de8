"""Turns everything that can be raised into an answer: problem details, or a page for people."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.headers import QUOTA, known, request_id, shown_path
from evref.adapters.inbound.web.problems import Problem
from evref.adapters.inbound.web.representations import Answer, compressed_where_accepted
from evref.domain.access.key import without_keys
from evref.domain.access.quota import QuotaExceededError
from evref.domain.errors import EvrefError, StorageUnavailableError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

_OF_STATUS = {404: problems.NOT_FOUND, 405: problems.METHOD_NOT_ALLOWED}


@dataclass(frozen=True, slots=True)
class _Told:
    """What an error comes to: members of the problem (RFC 9457), and the headers it brings."""

    status: int
    members: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


class Problems:
    """Tells errors as problems, whose types have their pages below `base_url`."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def register(self, app: Flask) -> None:
        """Have the application answer every error, its own and the framework's, in one form."""
        app.register_error_handler(Exception, lambda error: _respond(self._tell_raised(error)))
        app.register_error_handler(HTTPException, lambda error: _respond(self._tell_http(error)))

    def answer(self, error: Exception, environ: WSGIEnvironment) -> Answer:
        """The answer to a request of the interface, before Flask has seen it."""
        return _as_json(self._tell(error, environ), environ)

    def _tell_raised(self, error: Exception) -> _Told:
        return self._tell(error, request.environ)

    def _tell(self, error: Exception, environ: WSGIEnvironment) -> _Told:
        problem = problems.OF_ERROR.get(type(error)) if isinstance(error, EvrefError) else None
        if problem is None:
            log.error(
                "request %s failed", request_id(environ), exc_info=error, extra=known(environ)
            )
            detail = "The log has the details under the request id."
            return self._told(problems.INTERNAL_ERROR, detail, environ)
        more: dict[str, Any] = {}
        if isinstance(error, StorageUnavailableError):
            log.error(
                "request %s: storage is out of reach: %s",
                request_id(environ),
                error.reason,
                extra=known(environ),
            )
        if isinstance(error, QuotaExceededError):
            environ[QUOTA] = error.status
            more = {"violated-policies": ["daily"]}
        if isinstance(error, problems.InvalidParametersError):
            faults = [
                {
                    "parameter": without_keys(fault.parameter),
                    "message": without_keys(fault.message),
                    "allowed": list(fault.allowed),
                }
                for fault in error.faults
            ]
            more = {"errors": faults}
        return self._told(problem, str(error), environ, **more)

    def _tell_http(self, error: HTTPException) -> _Told:
        status = error.code or 500
        problem = _OF_STATUS.get(status)
        if problem is None:
            # RFC 9457, section 4.2.1: a problem that says no more than its status.
            members = {"type": "about:blank", "title": error.name, "status": status}
            return _Told(status, members | {"detail": "The service did not process the request."})
        if problem is problems.METHOD_NOT_ALLOWED:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            told = self._told(problem, f"The address answers {allowed}.", request.environ)
            return replace(told, headers={"Allow": allowed})
        detail = "Check the spelling of the path: it may not end with a slash or have two in a row."
        return self._told(problem, detail, request.environ)

    def _told(self, problem: Problem, detail: str, environ: WSGIEnvironment, **more: Any) -> _Told:
        members = {
            "type": problem.type_uri(self._base_url),
            "title": problem.title,
            "status": problem.status,
            # An error may name what the client sent, such as an id or a parameter.
            "detail": without_keys(detail),
            **more,
        }
        return _Told(problem.status, members, problems.headers(problem, environ.get(QUOTA)))


def _as_json(told: _Told, environ: WSGIEnvironment) -> Answer:
    members = told.members | {
        "instance": quote(shown_path(environ)),
        "request_id": request_id(environ),
    }
    body = json.dumps(members, ensure_ascii=False).encode()
    headers = [
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        *told.headers.items(),
    ]
    return Answer(f"{told.status:d} {HTTPStatus(told.status).phrase.upper()}", headers, body)


def _respond(told: _Told) -> Response:
    if request.path == "/api" or request.path.startswith("/api/"):
        made = _as_json(told, request.environ)
        response = Response(made.body, made.status, made.headers)
    else:
        page = render_template(
            "error.html", problem=told.members, request_id=request_id(request.environ)
        )
        response = Response(page, told.status, told.headers)
        response.headers["Cache-Control"] = "no-store"
    return compressed_where_accepted(response)
