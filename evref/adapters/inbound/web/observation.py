"""Watches every request, kept answers included, for the metrics and the access log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from evref.adapters.inbound.web import headers
from evref.domain.access.key import without_keys

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_access_log = logging.getLogger("evref.access")


@dataclass(frozen=True, slots=True)
class Seen:
    """A request and what came of it; `seconds` until its answer was ready to be sent."""

    environ: WSGIEnvironment
    status: int
    seconds: float


Observer = Callable[[Seen], None]


def observed(wsgi_app: WSGIApplication, observers: Sequence[Observer]) -> WSGIApplication:
    """The application, each of whose answers the observers are told of."""

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        status = ""

        def note(
            line: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None
        ) -> Callable[[bytes], object]:
            nonlocal status
            status = line[:3]
            return start_response(line, headers, exc_info)

        began_at = perf_counter()
        answer = wsgi_app(environ, note)
        seen = Seen(environ, int(status), perf_counter() - began_at)
        for observe in observers:
            observe(seen)
        return answer

    return serve


def log_access(seen: Seen) -> None:
    """One line a request, with its id and the key's, never the key; and without the query."""
    environ = seen.environ
    path = headers.shown_path(environ)
    method = without_keys(environ["REQUEST_METHOD"])
    known = headers.known(environ)
    _access_log.info(
        "%s %r %d in %.1f ms, %s",
        method,
        path,
        seen.status,
        seen.seconds * 1000,
        ", ".join(f"{name} {value}" for name, value in known.items()),
        extra={
            "method": method,
            "path": path,
            "route": environ.get(headers.ROUTE),
            "status": seen.status,
            "milliseconds": round(seen.seconds * 1000, 3),
            **known,
        },
    )
