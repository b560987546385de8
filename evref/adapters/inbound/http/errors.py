"""Turns everything that can be raised into an answer: problem details, or a page for people."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from evref.adapters.inbound.http import problems
from evref.adapters.inbound.http.fields import QUOTA, known, request_id, without_keys
from evref.adapters.inbound.http.problems import Problem
from evref.adapters.inbound.http.representations import compressed_where_accepted
from evref.domain.errors import EvrefError, QuotaExceededError, StorageUnavailableError

log = logging.getLogger(__name__)

_OF_STATUS = {404: problems.NOT_FOUND, 405: problems.METHOD_NOT_ALLOWED}


def register(app: Flask, base_url: str) -> None:
    """Have the application answer every error, its own and the framework's, in one form."""

    def answer(problem: Problem, detail: str, **more: Any) -> Response:
        content = {
            "type": problem.type_uri(base_url),
            "title": problem.title,
            "status": problem.status,
            "detail": detail,
        }
        headers = problems.headers(problem, request.environ.get(QUOTA))
        return _answer(problem.status, content | more, headers)

    app.register_error_handler(EvrefError, _of_core(answer))
    app.register_error_handler(HTTPException, _of_framework(answer))
    app.register_error_handler(Exception, _unforeseen(answer))


_Answer = Callable[..., Response]


def _of_core(answer: _Answer) -> Callable[[EvrefError], Response]:
    def handle(error: EvrefError) -> Response:
        problem = problems.OF_ERROR.get(type(error))
        if problem is None:
            return _unforeseen(answer)(error)
        if isinstance(error, StorageUnavailableError):
            log.error(
                "request %s: storage is out of reach: %s", request_id(request.environ), error.reason
            )
        if isinstance(error, QuotaExceededError):
            request.environ[QUOTA] = error.status
            return answer(problem, str(error), **{"violated-policies": ["daily"]})
        if isinstance(error, problems.InvalidParametersError):
            faults = [
                {
                    "parameter": fault.parameter,
                    "message": fault.message,
                    "allowed": list(fault.allowed),
                }
                for fault in error.faults
            ]
            return answer(problem, str(error), errors=faults)
        return answer(problem, str(error))

    return handle


def _of_framework(answer: _Answer) -> Callable[[HTTPException], Response]:
    def handle(error: HTTPException) -> Response:
        status = error.code or 500
        problem = _OF_STATUS.get(status)
        if problem is problems.METHOD_NOT_ALLOWED:
            response = answer(problem, f"{request.method} is not allowed here.")
            response.headers["Allow"] = ", ".join(
                sorted(getattr(error, "valid_methods", None) or ())
            )
            return response
        if problem is not None:
            return answer(problem, "No resource has this path.")
        # RFC 9457, section 4.2.1: a problem that says no more than its status.
        content = {"type": "about:blank", "title": error.name, "status": status}
        return _answer(status, content | {"detail": error.name + "."}, {})

    return handle


def _unforeseen(answer: _Answer) -> Callable[[Exception], Response]:
    def handle(error: Exception) -> Response:
        log.error(
            "request %s failed",
            request_id(request.environ),
            exc_info=error,
            extra=known(request.environ),
        )
        return answer(problems.INTERNAL_ERROR, "The log has the details under the request id.")

    return handle


def _answer(status: int, content: dict[str, Any], headers: dict[str, str]) -> Response:
    if request.path == "/api" or request.path.startswith("/api/"):
        content |= {
            "instance": quote(without_keys(request.path)),
            "request_id": request_id(request.environ),
        }
        response = Response(
            json.dumps(content, ensure_ascii=False),
            status,
            headers,
            content_type="application/problem+json",
        )
    else:
        page = render_template(
            "error.html", problem=content, request_id=request_id(request.environ)
        )
        response = Response(page, status, headers)
    response.headers["Cache-Control"] = "no-store"
    return compressed_where_accepted(response)
