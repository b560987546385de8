"""The headers of every response: request id, security headers, rate limit, CORS."""

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias
from wsgiref.types import WSGIEnvironment

from flask import Flask, abort, request
from flask_cors import CORS
from werkzeug.wrappers import Response

from evref.adapters.inbound.web.representations import NEVER
from evref.domain.access.quota import SECONDS_A_DAY, Quota
from evref.domain.redaction import has_key, without_keys

Field: TypeAlias = tuple[str, str]

_WELL_FORMED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

_POLICY = "Content-Security-Policy"
_WITHOUT_ANCESTORS = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'"
)
PAGE_POLICY = f"{_WITHOUT_ANCESTORS}; frame-ancestors 'none'"
"""Scripts and styles come from the service only; none are inline."""
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

_ON_ALL = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))

RATE_LIMIT_FIELDS = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)


# Keys in the environ for data that is found while a request is processed.
QUOTA = "evref.quota"
ROUTE = "evref.route"
ADMISSION_SECONDS = "evref.admission_seconds"
SENT_HOST = "evref.sent_host"
_REQUEST_ID = "evref.request_id"


# The pages of the catalogue, which a record system can show in a frame.
_FOR_READERS = re.compile(r"/|/(catalogue|evidence|about)(/.*)?")


class CommonHeaders:
    """Adds the headers that all responses have.

    `frame_ancestors` are the origins whose pages can show the catalogue's pages in a frame.
    Responses below a path of `cross_origin` depend on the origin of the request.
    """

    def __init__(self, frame_ancestors: Sequence[str], cross_origin: Iterable[str]) -> None:
        ancestors = " ".join(frame_ancestors) or "'none'"
        self._readers_policy = f"{_WITHOUT_ANCESTORS}; frame-ancestors {ancestors}"
        self._cross_origin = tuple(f"{root}/" for root in cross_origin)

    def added_to(self, fields: list[Field], environ: WSGIEnvironment) -> list[Field]:
        """Return the fields of a response with the common ones."""
        path, given = environ["PATH_INFO"], dict(fields)
        more = [("X-Request-ID", request_id(environ)), *_ON_ALL, *_rate_limit(environ)]
        if "Cache-Control" not in given:
            more.append(("Cache-Control", NEVER))
        if _POLICY in given:
            fields = [field for field in fields if field[0] != _POLICY]
        is_page = given.get("Content-Type", "").startswith("text/html")
        policy = given.get(_POLICY, PAGE_POLICY if is_page else _DATA_POLICY)
        is_for_readers = policy == PAGE_POLICY and _FOR_READERS.fullmatch(path)
        more.append((_POLICY, self._readers_policy if is_for_readers else policy))
        if self._cross_origin and f"{path}/".startswith(self._cross_origin):
            # Also without an allowed origin: a shared cache must not use the response for a request
            # from one.
            fields = [field for field in fields if field[0] != "Vary"]
            more.append(("Vary", ", ".join(filter(None, (given.get("Vary"), "Origin")))))
        return [*fields, *more]


def begin(redirect: Callable[[], Response | None]) -> Response | None:
    """Remember the route of the request, or redirect from another spelling of a path.

    `redirect` returns the redirect; None if no page has the path in another spelling.
    """
    # Werkzeug routes //path like /path, but each resource has only one URL.
    is_doubled = "//" in request.environ["PATH_INFO"]
    if request.url_rule is None or is_doubled:
        response = redirect()
        if response is None and is_doubled:
            abort(404)
        return response
    request.environ[ROUTE] = request.url_rule.rule
    return None


def allow_scripts(app: Flask, origins: Sequence[str], roots: Iterable[str]) -> None:
    """Let scripts of these origins call the interfaces with these paths (CORS)."""
    CORS(
        app,
        # The longer pattern must come first.
        resources={
            rf"{re.escape(root)}{path}": {"methods": methods}
            for root in roots
            for path, methods in ((r"(/|\Z)", ["GET", "HEAD"]), (r"/\w+/_search\Z", ["POST"]))
        },
        # Escaped, because the brackets of an IPv6 address are special in patterns.
        origins=[re.compile(re.escape(origin) + r"\Z", re.IGNORECASE) for origin in origins],
        allow_headers=["Authorization", "If-None-Match", "Prefer", "X-Request-ID"],
        expose_headers=[
            "ETag",
            "Evref-Catalogue-Version",
            "Link",
            "Retry-After",
            "X-Request-ID",
            *RATE_LIMIT_FIELDS,
        ],
        vary_header=False,
    )


def request_id(environ: WSGIEnvironment) -> str:
    """Return the client's request id if it is well-formed and has no API key, else a new one."""
    id_: str | None = environ.get(_REQUEST_ID)
    if id_ is None:
        sent = environ.get("HTTP_X_REQUEST_ID", "")
        is_valid = _WELL_FORMED_ID.fullmatch(sent) and not has_key(sent)
        id_ = sent if is_valid else secrets.token_hex(16)
        environ[_REQUEST_ID] = id_
    return id_


def log_fields(environ: WSGIEnvironment) -> dict[str, str]:
    """Return the id of a request for logs, and that of its key if the key is valid."""
    quota = environ.get(QUOTA)
    of_key = {} if quota is None else {"key_id": quota.key_id}
    return {"request_id": request_id(environ), **of_key}


def shown_path(environ: WSGIEnvironment) -> str:
    """Return the path as the client knows it, with parts that look like an API key replaced."""
    return without_keys(environ.get("SCRIPT_NAME", "") + decoded_path(environ))


def decoded_path(environ: WSGIEnvironment) -> str:
    """Return the path as text; WSGI decodes its bytes as latin-1 (PEP 3333)."""
    path: str = environ["PATH_INFO"]
    return path.encode("latin-1").decode(errors="replace")


def _rate_limit(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """Return the quota in the headers of draft-ietf-httpapi-ratelimit-headers-11 and the older
    ones: requests, seconds to the end of the window (t), and its end in Unix time (Reset).
    """
    quota: Quota | None = environ.get(QUOTA)
    if quota is None:
        return []
    limit, remaining = str(quota.limit), str(quota.remaining)
    return [
        ("RateLimit-Policy", f'"daily";q={limit};w={SECONDS_A_DAY}'),
        ("RateLimit", f'"daily";r={remaining};t={quota.seconds_left}'),
        ("X-RateLimit-Limit", limit),
        ("X-RateLimit-Remaining", remaining),
        ("X-RateLimit-Reset", str(quota.resets_at)),
    ]
