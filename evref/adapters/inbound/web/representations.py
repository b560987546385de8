"""Answers as bytes: made once, kept while they fit, and sent as the request's conditions ask."""

from __future__ import annotations

import gzip
import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias
from wsgiref.types import WSGIEnvironment

from cachetools import LRUCache
from flask import Response, request
from werkzeug.datastructures import Accept, Headers
from werkzeug.http import parse_accept_header, parse_etags

_VARY = "Accept-Encoding"

SMALLEST_TO_COMPRESS = 1024
"""Bytes; a shorter body gains nothing from gzip."""


@dataclass(frozen=True)
class Representation:
    """A body with its media type; a strong ETag (RFC 9110) for it as it is, and for its gzip."""

    body: bytes
    content_type: str

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()[:32]

    @cached_property
    def gzipped(self) -> bytes | None:
        """The body compressed, or None where it is too short to be."""
        if len(self.body) <= SMALLEST_TO_COMPRESS:
            return None
        # No time of day in the gzip header: the same content gives the same bytes.
        return gzip.compress(self.body, mtime=0)

    def etag(self, *, compressed: bool) -> str:
        return f'"{self._digest}-gzip"' if compressed else f'"{self._digest}"'

    def size(self) -> int:
        """Bytes that it holds when kept, gzip included."""
        return len(self.body) + len(self.gzipped or b"")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a GET of a representation comes to, as WSGI wants it."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


def answer(representation: Representation, cache_control: str, environ: WSGIEnvironment) -> Answer:
    """304 where the client has this representation, else 200."""
    compressed = (
        representation.gzipped if _names_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")) else None
    )
    etag = representation.etag(compressed=compressed is not None)
    headers = [("ETag", etag), ("Cache-Control", cache_control), ("Vary", _VARY)]
    if _has(environ.get("HTTP_IF_NONE_MATCH"), etag):
        return Answer("304 NOT MODIFIED", headers, b"")
    body = representation.body if compressed is None else compressed
    headers.append(("Content-Type", representation.content_type))
    headers.append(("Content-Length", str(len(body))))
    if compressed is not None:
        headers.append(("Content-Encoding", "gzip"))
    return Answer("200 OK", headers, body)


def respond(representation: Representation, cache_control: str) -> Response:
    """The answer to the request that Flask is at."""
    made = answer(representation, cache_control, request.environ)
    return _Finished(made.body or None, made.status, made.headers)


class _Finished(Response):
    """An answer whose headers need no completion: they say all, and it moves nobody."""

    default_mimetype = None

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:  # noqa: ARG002
        return self.headers


def compressed_where_accepted(response: Response) -> Response:
    """An answer that is not kept, such as a problem, compressed where the client takes gzip."""
    body = response.get_data()
    if len(body) > SMALLEST_TO_COMPRESS and "Content-Encoding" not in response.headers:
        response.headers["Vary"] = _VARY
        if _names_gzip(request.headers.get("Accept-Encoding", "")):
            response.set_data(gzip.compress(body, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
    return response


Target: TypeAlias = tuple[str, str]
"""What a request is for: its path and query, as WSGI has them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A representation, the version of the catalogue it was made from, and its view's route."""

    version: str
    route: str
    representation: Representation


class KeptRepresentations:
    """The most recently used representations, up to so many bytes; safe between threads.

    The bytes are those of the bodies, of the targets, which a client can make long, and of the
    objects that hold them.
    """

    ENTRY_BYTES = 2048
    """What an entry takes besides its bodies and its target: measured, and rounded up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: LRUCache[Target, tuple[Kept, int]] = LRUCache(
            most_bytes, getsizeof=lambda entry: entry[1]
        )
        self._lock = threading.Lock()

    def get(self, target: Target) -> Kept | None:
        """What is kept for a path and query, of whichever version."""
        with self._lock:
            entry = self._kept.get(target)
        return None if entry is None else entry[0]

    def keep(self, target: Target, kept: Kept) -> None:
        """Keep it in place of an earlier one, unless it would not fit at all."""
        size = self.ENTRY_BYTES + sum(map(len, target)) + kept.representation.size()
        if size <= self._most_bytes:
            with self._lock:
                self._kept[target] = kept, size


@lru_cache(maxsize=256)
def _names_gzip(accept_encoding: str) -> bool:
    # Clients send few different values, and parsing one costs as much as a short answer.
    return parse_accept_header(accept_encoding, Accept).quality("gzip") > 0


def _has(if_none_match: str | None, etag: str) -> bool:
    if if_none_match is None or if_none_match == etag:
        return if_none_match == etag
    return parse_etags(if_none_match).contains_weak(etag.strip('"'))
