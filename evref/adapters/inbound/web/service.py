"""The service as a WSGI application: what happens to a request around Flask.

A request takes one way, from the top of `Service.__call__` to its bottom.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.exceptions import BadRequest

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.host import CompletedRequest, Observer
from evref.adapters.inbound.web.representations import RawResponse
from evref.domain.redaction import without_keys
from evref.ports.deadline import one_request

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import InputStream

_access_log = logging.getLogger("evref.access")


class Service:
    """Sends a cached response if there is one, else that of Flask.

    - `base_url` is the address of the service. Nothing of it comes from a client.
    - `cached` returns a complete response to a request, or None if it has none.
    - `common` adds the headers that all responses have.
    - `observers` are called for each completed request.
    """

    def __init__(
        self,
        flask: WSGIApplication,
        base_url: str,
        cached: Callable[[WSGIEnvironment], RawResponse | None],
        common: headers.CommonHeaders,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._flask = flask
        self._cached = cached
        self._common = common
        self._observers = observers
        parts = urlsplit(base_url)
        self._path = parts.path
        # A client chooses the Host header: it would appear in links, and an invalid host would make
        # pages fail.
        self._address = {
            "wsgi.url_scheme": parts.scheme,
            "HTTP_HOST": parts.netloc,
            "SERVER_NAME": parts.hostname or "",
            "SERVER_PORT": str(parts.port or {"http": 80, "https": 443}[parts.scheme]),
            "SCRIPT_NAME": parts.path,
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began_at = perf_counter()
        self._set_address(environ)
        environ["wsgi.input"] = _Body(environ["wsgi.input"])
        status = ""

        def start(
            line: str, fields: list[headers.Field], exc_info: OptExcInfo | None = None
        ) -> Callable[[bytes], object]:
            nonlocal status
            status = line[:3]
            return start_response(line, self._common.added_to(fields, environ), exc_info)

        with one_request():
            response = self._cached(environ)
            if response is None:
                body = self._flask(environ, start)
            else:
                start(response.status, response.headers)
                body = response.body if environ["REQUEST_METHOD"] == "GET" else []
        if self._observers:
            completed = CompletedRequest(environ, int(status), perf_counter() - began_at)
            for observe in self._observers:
                observe(completed)
        return body

    def _set_address(self, environ: WSGIEnvironment) -> None:
        # gunicorn moves a part of the path to SCRIPT_NAME if a header field with that name says so,
        # even from a client. The path of a URL that ends with its host is empty, and equivalent
        # to /.
        path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"] or "/"
        # A proxy may pass the path of the service on, or strip it. Without a slash after it, it is
        # another spelling of the front page.
        if self._path and (path == self._path or path.startswith(f"{self._path}/")):
            path = path.removeprefix(self._path)
        environ["PATH_INFO"] = path
        environ[headers.SENT_HOST] = environ.get("HTTP_HOST")
        environ.update(self._address)
        # The service never upgrades a connection (RFC 9110, section 7.8), but Flask would find no
        # route for a request to upgrade to WebSocket.
        environ.pop("HTTP_UPGRADE", None)


def log_access(completed: CompletedRequest) -> None:
    """Log one line per request, with its id and the id of its key; never the key or the query."""
    environ = completed.environ
    path = headers.shown_path(environ)
    method = without_keys(environ["REQUEST_METHOD"])
    ids = headers.log_fields(environ)
    _access_log.info(
        "%s %r %d in %.1f ms, %s",
        method,
        path,
        completed.status,
        completed.seconds * 1000,
        ", ".join(f"{name} {value}" for name, value in ids.items()),
        extra={
            "method": method,
            "path": path,
            "route": environ.get(headers.ROUTE),
            "status": completed.status,
            "milliseconds": round(completed.seconds * 1000, 3),
            **ids,
        },
    )


class _Body:
    """The body of a request. A server may notice only when it is read that it is malformed."""

    def __init__(self, body: InputStream) -> None:
        self._body = body

    def read(self, size: int = -1) -> bytes:
        try:
            return self._body.read(size)
        except Exception as error:
            # Each server has its own exceptions; gunicorn's for chunks are no OSError.
            raise BadRequest from error
