"""Responses as bytes: ETag, gzip, and 304 if the client already has the same representation."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from wsgiref.types import WSGIEnvironment

from flask import Response, request
from werkzeug.datastructures import Headers
from werkzeug.http import parse_etags

from evref.adapters.inbound.web.negotiation import accepts_gzip

_VARY = "Accept-Encoding"

SMALLEST_TO_COMPRESS = 1024
"""Bytes; a shorter body gains nothing from gzip."""


@dataclass(frozen=True)
class Representation:
    """A body and its media type, with strong ETags (RFC 9110) for the body and for its gzip.

    `headers` are additional headers of a response with this body. `vary` has the names of the
    request headers that select the representation.
    """

    body: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...] = ()
    vary: str = _VARY

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()[:32]

    @cached_property
    def gzipped(self) -> bytes | None:
        """The compressed body, or None if the body is too short."""
        if len(self.body) <= SMALLEST_TO_COMPRESS:
            return None
        # No timestamp in the gzip header, so that the same content has the same bytes.
        return gzip.compress(self.body, mtime=0)

    def etag(self, *, compressed: bool) -> str:
        return f'"{self._digest}-gzip"' if compressed else f'"{self._digest}"'

    def size(self) -> int:
        """The number of bytes in a cache, including gzip."""
        return len(self.body) + len(self.gzipped or b"")


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A response as WSGI needs it; it can be made without Flask."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


def raw_response(
    representation: Representation, cache_control: str, environ: WSGIEnvironment
) -> RawResponse:
    """Return 304 if the client has this representation, else 200."""
    compressed = (
        representation.gzipped if accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")) else None
    )
    etag = representation.etag(compressed=compressed is not None)
    headers = [("ETag", etag), ("Cache-Control", cache_control), ("Vary", representation.vary)]
    if matches(environ.get("HTTP_IF_NONE_MATCH"), etag):
        return RawResponse("304 NOT MODIFIED", headers, b"")
    body = representation.body if compressed is None else compressed
    headers.append(("Content-Type", representation.content_type))
    headers.append(("Content-Length", str(len(body))))
    if compressed is not None:
        headers.append(("Content-Encoding", "gzip"))
    headers += representation.headers
    return RawResponse("200 OK", headers, body)


def respond(representation: Representation, cache_control: str) -> Response:
    """Return the response to the current request of Flask."""
    made = raw_response(representation, cache_control, request.environ)
    return Finished(made.body or None, made.status, made.headers)


class Finished(Response):
    """A response with complete headers, which Flask does not need to complete."""

    default_mimetype = None

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:  # noqa: ARG002
        return self.headers


def compressed_where_accepted(response: Response) -> Response:
    """Compress a response that is not cached, such as a problem, if the client accepts gzip."""
    body = response.get_data()
    if len(body) > SMALLEST_TO_COMPRESS and "Content-Encoding" not in response.headers:
        response.headers["Vary"] = _VARY
        if accepts_gzip(request.headers.get("Accept-Encoding", "")):
            response.set_data(gzip.compress(body, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
    return response


def matches(if_none_match: str | None, etag: str) -> bool:
    """Return whether If-None-Match names this ETag, which is in quotation marks."""
    if if_none_match is None or if_none_match == etag:
        return if_none_match == etag
    return parse_etags(if_none_match).contains_weak(etag.strip('"'))
