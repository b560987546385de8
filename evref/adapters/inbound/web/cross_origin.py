"""Cross-origin requests (CORS): the scripts of these origins may call the interfaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask
from flask_cors import CORS
from werkzeug.datastructures import Headers

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.interfaces import Interfaces

if TYPE_CHECKING:
    from _typeshed import OptExcInfo


def allow_scripts(app: Flask, origins: Sequence[str], interfaces: Interfaces) -> None:
    CORS(
        app,
        # The longer pattern must come first.
        resources={
            rf"{re.escape(root)}{path}": {"methods": methods}
            for root in interfaces.cross_origin()
            for path, methods in ((r"(/|\Z)", ["GET", "HEAD"]), (r"/\w+/_search\Z", ["POST"]))
        },
        # Escaped, because the brackets of an IPv6 address are special in patterns.
        origins=[_exactly(origin) for origin in origins],
        allow_headers=["Authorization", "If-None-Match", "Prefer", "X-Request-ID"],
        expose_headers=[
            "ETag",
            "Evref-Catalogue-Version",
            "Link",
            "Retry-After",
            "X-Request-ID",
            *headers.RATE_LIMIT_FIELDS,
        ],
        vary_header=False,
    )


def _exactly(origin: str) -> re.Pattern[str]:
    return re.compile(re.escape(origin) + r"\Z", re.IGNORECASE)


def varying_by_origin(wsgi_app: WSGIApplication, interfaces: Interfaces) -> WSGIApplication:
    """Return the application with `Vary: Origin` on the responses that scripts may read.

    This includes requests without an allowed origin: a shared cache must not use their responses
    for requests from an allowed origin.
    """

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(
            status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None
        ) -> Callable[[bytes], object]:
            varying = Headers(headers)
            varying["Vary"] = f"{varying['Vary']}, Origin" if "Vary" in varying else "Origin"
            return start_response(status, varying.to_wsgi_list(), exc_info)

        is_cross_origin = interfaces.is_cross_origin(environ["PATH_INFO"])
        return wsgi_app(environ, start if is_cross_origin else start_response)

    return serve
