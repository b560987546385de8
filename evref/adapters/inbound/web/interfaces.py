"""The interfaces of the service: their paths, their views, and how they render problems."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

from flask import Blueprint

from evref.adapters.inbound.web.headers import request_id, shown_path
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import NEVER, RawResponse

if TYPE_CHECKING:
    from evref.adapters.inbound.web.host import Host

# Stored, because json.dumps creates an encoder for each call with options.
_JSON = json.JSONEncoder(ensure_ascii=False)

Render: TypeAlias = "Callable[[ProblemDetails, WSGIEnvironment], RawResponse]"
"""Renders a problem in the form of an interface.

If the interface has cached responses, this is also called outside of Flask.
"""


@dataclass(frozen=True, slots=True)
class Interface:
    """A way into the service, such as FHIR, as an entry point of the group `evref.interfaces` names
    it.

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


class Interfaces:
    """All interfaces that are served, by name."""

    def __init__(self, interfaces: Mapping[str, Interface]) -> None:
        self._interfaces = interfaces

    def at(self, path: str) -> Interface | None:
        """Return the interface of a path, ignoring case and repeated slashes.

        Such a path is not found, but a program still gets the problem in the format of its
        interface.
        """
        path = "/" + path.lower().lstrip("/")
        return next((known for known in self._interfaces.values() if known.has(path)), None)

    def is_cross_origin(self, path: str) -> bool:
        interface = self.at(path)
        return interface is not None and interface.cross_origin

    def cross_origin(self) -> tuple[str, ...]:
        """Return the roots of the interfaces that scripts from other origins may call."""
        return tuple(known.root for known in self._interfaces.values() if known.cross_origin)


def members(problem: ProblemDetails, environ: WSGIEnvironment) -> dict[str, Any]:
    """Return all members of a problem in their usual order."""
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
