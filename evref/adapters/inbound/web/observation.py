"""Observes every request, including those for cached responses: metrics and the access log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from wsgiref.types import WSGIEnvironment

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
