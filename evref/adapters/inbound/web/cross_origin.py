"""Cross-origin requests (CORS): the scripts of these origins may call the interfaces."""

import re
from collections.abc import Sequence

from flask import Flask
from flask_cors import CORS

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.interfaces import Interfaces


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
