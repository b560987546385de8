"""The headers of every response: request id, security headers, rate limit."""

import re
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, abort, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.web.representations import NEVER
from evref.domain.access.quota import SECONDS_A_DAY, Quota
from evref.domain.redaction import has_key, without_keys

_WELL_FORMED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Scripts and styles come from the service only; none are inline."""
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


# Keys in the environ for data that is found while a request is processed.
QUOTA = "evref.quota"
ROUTE = "evref.route"
ADMISSION_SECONDS = "evref.admission_seconds"
SENT_HOST = "evref.sent_host"
_REQUEST_ID = "evref.request_id"


# The pages of the catalogue, which a record system can show in a frame.
_FOR_READERS = re.compile(r"/|/(catalogue|evidence|about)(/.*)?")


def register(
    app: Flask, redirect: Callable[[], AnyResponse | None], frame_ancestors: Sequence[str] = ()
) -> None:
    """Add these headers to every response of the application, including errors.

    `redirect` returns the response to another spelling of a path, and `frame_ancestors` are the
    origins whose pages can show the catalogue's pages in a frame.
    """
    readers_policy = PAGE_POLICY
    if frame_ancestors:
        ancestors = f"frame-ancestors {' '.join(frame_ancestors)}"
        readers_policy = readers_policy.replace("frame-ancestors 'none'", ancestors)
    app.before_request(partial(_begin, redirect))
    app.after_request(partial(_complete, readers_policy))


def request_id(environ: WSGIEnvironment) -> str:
    """Return the client's request id if it is well-formed and has no API key, else a new one."""
    id_: str | None = environ.get(_REQUEST_ID)
    if id_ is None:
        sent = environ.get("HTTP_X_REQUEST_ID", "")
        is_valid = _WELL_FORMED_ID.fullmatch(sent) and not has_key(sent)
        id_ = sent if is_valid else secrets.token_hex(16)
        environ[_REQUEST_ID] = id_
    return id_


def of_api(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """Return the headers of responses of the API, and of problems that are sent without Flask."""
    return [("X-Request-ID", request_id(environ)), *_ON_API, *_rate_limit(environ)]


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


def _begin(redirect: Callable[[], AnyResponse | None]) -> AnyResponse | None:
    # Werkzeug routes //path like /path, but each resource has only one URL.
    is_doubled = "//" in request.environ["PATH_INFO"]
    if request.url_rule is None or is_doubled:
        response = redirect()
        if response is None and is_doubled:
            abort(404)
        return response
    request.environ[ROUTE] = request.url_rule.rule
    return None


def _complete(readers_policy: str, response: Response) -> Response:
    # Added in one call, because separate calls would each search for an earlier header of the name.
    environ = request.environ
    more = [("X-Request-ID", request_id(environ)), *_ON_ALL, *_rate_limit(environ)]
    if "Cache-Control" not in response.headers:
        more.append(("Cache-Control", NEVER))
    policy = response.headers.pop("Content-Security-Policy", None)
    if policy is None:
        policy = PAGE_POLICY if response.mimetype == "text/html" else _DATA_POLICY
    if policy == PAGE_POLICY and _FOR_READERS.fullmatch(environ["PATH_INFO"]):
        policy = readers_policy
    more.append(("Content-Security-Policy", policy))
    response.headers.extend(more)
    return response


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
