"""The pages as an interface of the service: problems are rendered as pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template
from werkzeug.http import HTTP_STATUS_CODES

from evref.adapters.inbound.web.headers import request_id
from evref.adapters.inbound.web.interfaces import HttpInterface
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def _render_problem(problem: ProblemDetails, environ: WSGIEnvironment) -> RawResponse:
    page = render_template("error.html", problem=problem.members, request_id=request_id(environ))
    body = page.encode()
    headers = [
        *problem.headers.items(),
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    ]
    status = f"{problem.status:d} {HTTP_STATUS_CODES[problem.status].upper()}"
    return RawResponse(status, headers, [body])


PAGES = HttpInterface("/", _render_problem)
"""Has the paths that no other interface has, so that an unknown path shows a page."""
