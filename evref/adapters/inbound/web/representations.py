"""Responses as bytes: media type, coding, ETag, 304 and Cache-Control (RFC 9110, RFC 9111).

The most recently used ones are cached.
"""

import hashlib
import json
import re
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from gzip import GzipFile
from io import BytesIO
from typing import Generic, Protocol, TypeAlias, TypeVar
from weakref import WeakValueDictionary
from wsgiref.types import WSGIEnvironment

from cachetools import LRUCache
from flask import Response, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.datastructures import Accept, MIMEAccept
from werkzeug.http import parse_accept_header, parse_date, parse_etags
from werkzeug.wsgi import FileWrapper

from evref.domain.errors import EvrefError

# The values of Cache-Control.
NEVER = "no-store"
"""For problems, and for each view that does not set Cache-Control."""
PRIVATE = "private, no-cache"
"""For data: a client may store it, but each use is authorised, counted and revalidated."""
PUBLIC = "public, max-age=300"

_VARY = "Accept-Encoding"

SMALLEST_TO_COMPRESS = 1024
"""Bytes; gzip does not make a shorter body smaller."""

_LARGEST_KEPT_PLAIN = 4 * 1024 * 1024
"""Bytes; a longer body, such as the whole catalogue, is kept only compressed."""

_LEVEL = 4
"""Takes half the time of zlib's default level, for 7 % more bytes of a long list."""
_GZIP = 16 + zlib.MAX_WBITS
_CHUNK_BYTES = 256 * 1024

_BARE_FRACTION = re.compile(r"(?<=[Qq]=)(?=\.[0-9])")
_ANYTHING = re.compile(r"\A\*(?=\s*(?:;|\Z))")

# Clients send few different values, and parsing one costs as much as a short response.
_remembered = lru_cache(maxsize=256)


@_remembered
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether the Accept-Encoding header accepts gzip, and does not prefer no coding."""
    # x-gzip is an old name of gzip (RFC 9110, section 8.4.1.3).
    accepted = Accept(
        (coding.lower().removeprefix("x-"), quality)
        for coding, quality in parse_accept_header(accept_encoding, Accept)
    )
    return 0 < accepted.quality("gzip") >= accepted.quality("identity")


def media_ranges(accept: str) -> Iterator[tuple[str, float]]:
    """Yield the ranges of an Accept header, and their qualities.

    Java before 17.0.12 sends `*; q=.2` for `*/*; q=0.2`.
    """
    for media_range, quality in parse_accept_header(_BARE_FRACTION.sub("0", accept), MIMEAccept):
        yield _ANYTHING.sub("*/*", media_range), quality


def preferred_media_type(accept: str, offers: tuple[str, ...]) -> str:
    """Return the offer that the Accept header prefers, or "" if it accepts none of several."""
    return offers[0] if len(offers) == 1 else _preferred(accept, offers)


@_remembered
def _preferred(accept: str, offers: tuple[str, ...]) -> str:
    # Parameters such as charset are ignored, because no offer has any.
    plain = MIMEAccept((name.partition(";")[0], quality) for name, quality in media_ranges(accept))
    return plain.best_match(offers, default="") if plain else offers[0]


class PreconditionFailedError(EvrefError):
    """Indicates an If-Match that does not name the selected representation."""

    text = "If-Match does not name the present ETag of the response."


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A response as WSGI needs it, independent of Flask."""

    status: str
    headers: list[tuple[str, str]]
    body: Iterable[bytes]


class Representation:
    """A body and its media type, with strong ETags (RFC 9110) for the body and for its gzip.

    The body is an iterable of chunks, so a long body is never complete in memory. `headers` are
    more headers of a response with it, and `vary` names the request headers that select it.
    """

    def __init__(
        self,
        body: Iterable[bytes],
        content_type: str,
        headers: tuple[tuple[str, str], ...] = (),
        vary: str = _VARY,
    ) -> None:
        self.content_type = content_type
        self.headers = headers
        self.vary = vary
        digest, length, plain, compressed = hashlib.sha256(), 0, [], []
        # Its header has no timestamp, so that the same content has the same bytes.
        gzip = zlib.compressobj(_LEVEL, wbits=_GZIP)
        for chunk in body:
            digest.update(chunk)
            length += len(chunk)
            compressed.append(gzip.compress(chunk))
            if length <= _LARGEST_KEPT_PLAIN:
                plain.append(chunk)
            else:
                plain.clear()
        self._etags = f'"{digest.hexdigest()[:32]}"', f'"{digest.hexdigest()[:32]}-gzip"'
        self._length = length
        self._plain = b"".join(plain) if length <= _LARGEST_KEPT_PLAIN else None
        self._gzip: bytes | None = None
        if length > SMALLEST_TO_COMPRESS:
            self._gzip = b"".join([*compressed, gzip.flush()])

    def etag(self, *, compressed: bool) -> str:
        return self._etags[compressed]

    def content(self, *, compressed: bool) -> tuple[Iterable[bytes], int]:
        """Return the body, or its gzip, and the length in bytes."""
        if self._gzip is not None:
            if compressed:
                return [self._gzip], len(self._gzip)
            if self._plain is None:
                file = GzipFile(fileobj=BytesIO(self._gzip))
                return FileWrapper(file, _CHUNK_BYTES), self._length  # type: ignore[arg-type]
        return [self._plain or b""], self._length

    def response(self, cache_control: str, environ: WSGIEnvironment) -> RawResponse:
        """Return a response with 304 if the client has this representation, else with 200.

        Raises:
            PreconditionFailedError: If If-Match names other representations only.

        """
        compressed = self._gzip is not None and accepts_gzip(
            environ.get("HTTP_ACCEPT_ENCODING", "")
        )
        etag = self._etags[compressed]
        headers = [("ETag", etag), ("Cache-Control", cache_control), ("Vary", self.vary)]
        if_match = environ.get("HTTP_IF_MATCH")
        if if_match is not None and not parse_etags(if_match).contains(etag.strip('"')):
            raise PreconditionFailedError
        if_none_match = environ.get("HTTP_IF_NONE_MATCH")
        if if_none_match is None:
            is_current = "HTTP_IF_MODIFIED_SINCE" in environ and self._is_as_old_as(
                environ["HTTP_IF_MODIFIED_SINCE"]
            )
        else:
            # Compared as text first, because parsing takes time.
            is_current = if_none_match == etag or parse_etags(if_none_match).contains_weak(
                etag.strip('"')
            )
        if is_current:
            return RawResponse("304 NOT MODIFIED", headers, [])
        body, length = self.content(compressed=compressed)
        headers.append(("Content-Type", self.content_type))
        headers.append(("Content-Length", str(length)))
        if compressed:
            headers.append(("Content-Encoding", "gzip"))
        headers += self.headers
        return RawResponse("200 OK", headers, body)

    def _is_as_old_as(self, if_modified_since: str) -> bool:
        """Return whether the time in If-Modified-Since is that of `Last-Modified` or later."""
        last_modified = parse_date(dict(self.headers).get("Last-Modified"))
        since = parse_date(if_modified_since)
        return last_modified is not None and since is not None and last_modified <= since

    def size(self) -> int:
        return len(self._plain or b"") + len(self._gzip or b"")


Target: TypeAlias = tuple[str, ...]
"""What a cached response answers: for the API, the path and the query, as in WSGI."""


class Sized(Protocol):
    def size(self) -> int:
        """Return the number of bytes, including gzip."""


Cached = TypeVar("Cached", bound=Sized)


class ResponseCache(Generic[Cached]):
    """The most recently used responses, up to a number of bytes; thread-safe."""

    ENTRY_BYTES = 2048
    """Bytes of an entry in addition to its bodies and its target, which a client can make long:
    measured, and rounded up.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._entries: LRUCache[Target, tuple[Cached, int]] = LRUCache(
            most_bytes, getsizeof=lambda entry: entry[1]
        )
        self._lock = threading.Lock()
        self._rendering: WeakValueDictionary[Target, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def rendering(self, target: Target) -> Iterator[None]:
        """Let one thread at a time render the response for this target in the `with` block.

        After a publication, all threads may need the same one: check the cache within the block.
        """
        with self._lock:
            # The dictionary forgets a lock as soon as no thread uses it.
            lock = self._rendering.setdefault(target, threading.Lock())
        with lock:
            yield

    def get(self, target: Target) -> Cached | None:
        """Return the response for a target, of any publication."""
        with self._lock:
            try:
                # `get` of cachetools looks for the target twice.
                return self._entries[target][0]
            except KeyError:
                return None

    def put(self, target: Target, response: Cached) -> None:
        """Cache the response in place of an earlier one, unless it is too large."""
        size = self.ENTRY_BYTES + response.size() + sum(map(len, target))
        if size <= self._most_bytes:
            with self._lock:
                self._entries[target] = response, size


def to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_json(value: object) -> bytes:
    return to_json(value).encode()


class JsonProvider(DefaultJSONProvider):
    """Writes the JSON of Flask's responses as `as_json` does."""

    compact = True

    def dumps(self, obj: object, **_: object) -> str:
        return to_json(obj)


def respond(representation: Representation, cache_control: str) -> Response:
    raw = representation.response(cache_control, request.environ)
    return Response(raw.body, raw.status, raw.headers)


def compressed_where_accepted(response: Response) -> Response:
    """Compress an uncached response, such as a problem, if the client accepts gzip."""
    body = response.get_data()
    if len(body) > SMALLEST_TO_COMPRESS and "Content-Encoding" not in response.headers:
        response.vary.add(_VARY)
        if accepts_gzip(request.headers.get("Accept-Encoding", "")):
            response.set_data(zlib.compress(body, wbits=_GZIP))
            response.headers["Content-Encoding"] = "gzip"
    return response
