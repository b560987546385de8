"""Observes every request, including those for cached responses: metrics and the access log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from evref.adapters.inbound.web import headers
from evref.domain.redaction import without_keys

_access_log = logging.getLogger("evref.access")


@dataclass(frozen=True, slots=True)
class CompletedRequest:
    """A request and its status; `seconds` is the time until its response was ready."""

    environ: WSGIEnvironment
    status: int
    seconds: float


Observer = Callable[[CompletedRequest], None]


def observed(wsgi_app: WSGIApplication, observers: Sequence[Observer]) -> WSGIApplication:
    """Return the application; the observers are called for each completed request."""

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        status = ""

        def note(
            line: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], object]:
            nonlocal status
            status = line[:3]
            return start_response(line, headers, exc_info)

        began_at = perf_counter()
        body = wsgi_app(environ, note)
        completed = CompletedRequest(environ, int(status), perf_counter() - began_at)
        for observe in observers:
            observe(completed)
        return body

    return serve


def log_access(completed: CompletedRequest) -> None:
    """Log one line per request, with its id and the id of its key; never the key or the query."""
    environ = completed.environ
    path = headers.shown_path(environ)
    method = without_keys(environ["REQUEST_METHOD"])
    known = headers.log_fields(environ)
    _access_log.info(
        "%s %r %d in %.1f ms, %s",
        method,
        path,
        completed.status,
        completed.seconds * 1000,
        ", ".join(f"{name} {value}" for name, value in known.items()),
        extra={
            "method": method,
            "path": path,
            "route": environ.get(headers.ROUTE),
            "status": completed.status,
            "milliseconds": round(completed.seconds * 1000, 3),
            **known,
        },
    )
