"""The fields that every response carries: request id, security headers, rate limit."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from flask import Flask, Response, abort, request

from evref.domain.access.key import without_keys
from evref.domain.access.quota import SECONDS_A_DAY, QuotaStatus

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_WELL_FORMED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

_ON_ALL = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))
_ON_API = (*_ON_ALL, ("Content-Security-Policy", _DATA_POLICY))

RATE_LIMIT_FIELDS = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)


# Where a request's environ has what became known of it on its way.
QUOTA = "evref.quota"
ROUTE = "evref.route"
SENT_HOST = "evref.sent_host"
_REQUEST_ID = "evref.request_id"


def register(app: Flask) -> None:
    """Have the application put these fields on every response, errors included."""
    app.before_request(_refuse_doubled_slashes)
    app.before_request(_note_route)
    app.after_request(_complete)


def request_id(environ: WSGIEnvironment) -> str:
    """The client's own id of this request where it is well-formed, else one made here.

    One that looks like an API key is replaced too: it would be repeated in answers and logs.
    """
    known: str | None = environ.get(_REQUEST_ID)
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        is_fit = _WELL_FORMED_ID.fullmatch(given) and without_keys(given) == given
        known = given if is_fit else secrets.token_hex(16)
        environ[_REQUEST_ID] = known
    return known


def of_api(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """The fields of every response with data, and of its problems, that Flask does not complete."""
    quota = environ.get(QUOTA)
    limit = [] if quota is None else rate_limit(quota)
    return [("X-Request-ID", request_id(environ)), *_ON_API, *limit]


def of_every_response(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """The fields that depend on nothing but the request."""
    return [("X-Request-ID", request_id(environ)), *_ON_ALL]


def known(environ: WSGIEnvironment) -> dict[str, str]:
    """What a log says of a request: its id, and that of its key where it has a valid one."""
    quota = environ.get(QUOTA)
    of_key = {} if quota is None else {"key_id": quota.key_id}
    return {"request_id": request_id(environ), **of_key}


def shown_path(environ: WSGIEnvironment) -> str:
    """The path without what looks like an API key, should a client have put one there."""
    # WSGI has the bytes of the path as if they were latin-1 (PEP 3333).
    path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
    return without_keys(path)


def _refuse_doubled_slashes() -> None:
    # Werkzeug routes //path as /path, but every address has one spelling.
    if "//" in request.environ["PATH_INFO"]:
        abort(404)


def _note_route() -> None:
    if request.url_rule is not None:
        request.environ[ROUTE] = request.url_rule.rule


def _complete(response: Response) -> Response:
    # All at once: one by one, each would look for an earlier one of its name.
    more = of_every_response(request.environ)
    if "Content-Security-Policy" not in response.headers:
        is_page = response.mimetype == "text/html"
        more.append(("Content-Security-Policy", PAGE_POLICY if is_page else _DATA_POLICY))
    if (quota := request.environ.get(QUOTA)) is not None:
        more += rate_limit(quota)
    response.headers.extend(more)
    return response


def rate_limit(quota: QuotaStatus) -> list[tuple[str, str]]:
    """Where the key stands, in the fields of draft-ietf-httpapi-ratelimit-headers-11 and the
    older ones: requests, seconds to the window's end (t), and its end in Unix time (Reset).
    """
    limit, remaining = str(quota.limit), str(quota.remaining)
    return [
        ("RateLimit-Policy", f'"daily";q={limit};w={SECONDS_A_DAY}'),
        ("RateLimit", f'"daily";r={remaining};t={quota.seconds_left}'),
        ("X-RateLimit-Limit", limit),
        ("X-RateLimit-Remaining", remaining),
        ("X-RateLimit-Reset", str(quota.resets_at)),
    ]
