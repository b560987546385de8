"""Cached responses, which are sent before Flask.

A response depends on nothing but the publication, the path, the query and, if a view offers several
media types, the Accept header. So it is rendered once: `ResponseCache` has the most recently used
ones, and `sent_before_flask` sends them at a fraction of the cost of a view.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from weakref import WeakValueDictionary
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from cachetools import LRUCache

from evref.adapters.inbound.web.representations import RawResponse, Representation
from evref.domain.access.key import Permission

Target: TypeAlias = tuple[str, ...]
"""The target of a request: its path and query, as in WSGI."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200, the publication it is made from, and the route of its view.

    `needed` is the permission that a key needs for it. If the view offers several media types,
    `select` returns the one for an Accept header, and `by_media_type` has the representations that
    are cached.
    """

    publication_id: str
    route: str
    representation: Representation
    needed: Permission = Permission.READ
    select: Callable[[str], str] | None = None
    by_media_type: Mapping[str, Representation] = field(default_factory=dict)

    def representation_for(self, accept: str) -> Representation | None:
        """Return the representation for an Accept header, None if it is not cached."""
        if self.select is None:
            return self.representation
        return self.by_media_type.get(self.select(accept))


class ResponseCache:
    """The most recently used responses, up to a number of bytes; thread-safe.

    The bytes include the bodies, the targets, which a client can make long, and the overhead of
    the objects.
    """

    ENTRY_BYTES = 2048
    """Bytes of an entry in addition to its bodies and its target: measured, and rounded up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._entries: LRUCache[Target, tuple[CachedResponse, int]] = LRUCache(
            most_bytes, getsizeof=lambda entry: entry[1]
        )
        self._lock = threading.Lock()
        self._rendering: WeakValueDictionary[Target, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def rendering(self, target: Target) -> Iterator[None]:
        """Block other threads that render the response for this target until the block ends.

        After a publication, all threads may need the same response. If each rendered it, they would
        take several times the time and memory. So look for it in the cache again in the block.
        """
        with self._lock:
            # The dictionary forgets a lock as soon as no thread has it any more.
            lock = self._rendering.setdefault(target, threading.Lock())
        with lock:
            yield

    def get(self, target: Target) -> CachedResponse | None:
        """Return the response for a target, of any publication."""
        with self._lock:
            try:
                # `get` of cachetools looks for the target twice.
                return self._entries[target][0]
            except KeyError:
                return None

    def put(self, target: Target, response: CachedResponse) -> None:
        """Cache the response, unless it is larger than the cache.

        It replaces an earlier one, but for the other media types of the same publication.
        """
        with self._lock:
            if target in self._entries:
                earlier = self._entries[target][0]
                if earlier.publication_id == response.publication_id:
                    both = {**earlier.by_media_type, **response.by_media_type}
                    if self._put(target, replace(response, by_media_type=both)):
                        return
            self._put(target, response)

    def _put(self, target: Target, response: CachedResponse) -> bool:
        kept = [*response.by_media_type.values()] or [response.representation]
        size = sum(self.ENTRY_BYTES + representation.size() for representation in kept) + sum(
            map(len, target)
        )
        if size <= self._most_bytes:
            self._entries[target] = response, size
        return size <= self._most_bytes


def sent_before_flask(
    flask: WSGIApplication, cached: Callable[[WSGIEnvironment], RawResponse | None]
) -> WSGIApplication:
    """Return the application that sends a cached response if there is one, else Flask's.

    `cached` returns a complete response to the request, or None if it has none.
    """

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        response = cached(environ)
        if response is None:
            return flask(environ, start_response)
        start_response(response.status, response.headers)
        return response.body if environ["REQUEST_METHOD"] == "GET" else []

    return serve
