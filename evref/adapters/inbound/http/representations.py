"""Answers as bytes: made once, kept while they fit, and sent as the request's conditions ask."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from wsgiref.types import WSGIEnvironment

from cachetools import LRUCache
from flask import Response, request
from werkzeug.datastructures import Accept, Headers
from werkzeug.http import parse_accept_header, parse_etags

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


def respond(representation: Representation, cache_control: str) -> Response:
    """The answer to a GET or HEAD: 304 where the client has this representation, else 200."""
    compressed = representation.gzipped if _accepts_gzip() else None
    etag = representation.etag(compressed=compressed is not None)
    headers = [("ETag", etag), ("Cache-Control", cache_control), ("Vary", "Accept-Encoding")]
    if _client_has(etag):
        response = _Finished(status=304)
        del response.headers["Content-Type"]
    else:
        response = _Finished(
            representation.body if compressed is None else compressed,
            content_type=representation.content_type,
        )
        if compressed is not None:
            headers.append(("Content-Encoding", "gzip"))
    response.headers.extend(headers)
    return response


class _Finished(Response):
    """An answer whose headers need no completion: its length is set, and it moves nobody."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:  # noqa: ARG002
        return self.headers


def compressed_where_accepted(response: Response) -> Response:
    """An answer that is not kept, such as a problem, compressed where the client takes gzip."""
    body = response.get_data()
    if len(body) > SMALLEST_TO_COMPRESS and "Content-Encoding" not in response.headers:
        response.headers["Vary"] = "Accept-Encoding"
        if _accepts_gzip():
            response.set_data(gzip.compress(body, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
    return response


class KeptRepresentations:
    """The most recently used representations, up to so many bytes; safe between threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: LRUCache[tuple[str, ...], Representation] = LRUCache(
            most_bytes, getsizeof=Representation.size
        )
        self._lock = threading.Lock()

    def get(self, name: tuple[str, ...], make: Callable[[], Representation]) -> Representation:
        """The one kept under this name, else the one that `make` makes."""
        with self._lock:
            kept = self._kept.get(name)
        if kept is not None:
            return kept
        made = make()
        if made.size() <= self._most_bytes:
            with self._lock:
                self._kept[name] = made
        return made


def _accepts_gzip() -> bool:
    return _names_gzip(request.headers.get("Accept-Encoding", ""))


@lru_cache(maxsize=256)
def _names_gzip(accept_encoding: str) -> bool:
    # Clients send few different values, and parsing one costs as much as a short answer.
    return parse_accept_header(accept_encoding, Accept).quality("gzip") > 0


def _client_has(etag: str) -> bool:
    if_none_match = request.headers.get("If-None-Match")
    return if_none_match is not None and parse_etags(if_none_match).contains_weak(etag.strip('"'))
