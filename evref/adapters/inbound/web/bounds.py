"""What bounds a request before Flask: its time to wait for storage, and a body that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.exceptions import BadRequest

from evref.ports.deadline import one_request

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream


def bounded(wsgi_app: WSGIApplication) -> WSGIApplication:
    """Return the application with these bounds for each request."""

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.input"] = _Body(environ["wsgi.input"])
        with one_request():
            return wsgi_app(environ, start_response)

    return serve


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
