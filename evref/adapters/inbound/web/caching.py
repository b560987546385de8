"""Cached responses, which are sent before Flask.

A response depends on nothing but the publication, the path, the query and, if a view offers several
media types, the Accept header. So it is rendered once: `ResponseCache` stores the most recently
used responses, and `Service` sends them at a fraction of the cost of a view.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache

from evref.adapters.inbound.web.representations import Representation
from evref.domain.access.key import Permission

Target: TypeAlias = tuple[str, ...]
"""The target of a request: its path and query, as in WSGI."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200, the publication that it is from, and the route of its view.

    `needed` is the permission that a key needs for it. `select` returns the media type for an
    Accept header. `representations` are the cached ones by media type.
    """

    publication_id: str
    route: str
    needed: Permission
    select: Callable[[str], str]
    representations: Mapping[str, Representation]

    def representation_for(self, accept: str) -> Representation | None:
        """Return the representation for an Accept header, None if it is not cached."""
        return self.representations.get(self.select(accept))

    def size(self) -> int:
        """Return the number of bytes of all cached representations."""
        return sum(representation.size() for representation in self.representations.values())


Cached = TypeVar("Cached", CachedResponse, Representation)


class ResponseCache(Generic[Cached]):
    """The most recently used responses, up to a number of bytes; thread-safe.

    The bytes include the bodies, the targets (a client can send long ones) and the overhead of the
    objects.
    """

    ENTRY_BYTES = 2048
    """Bytes of an entry in addition to its bodies and its target: measured, and rounded up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._entries: LRUCache[Target, tuple[Cached, int]] = LRUCache(
            most_bytes, getsizeof=lambda entry: entry[1]
        )
        self._lock = threading.Lock()
        self._rendering: WeakValueDictionary[Target, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def rendering(self, target: Target) -> Iterator[None]:
        """Block other threads that render the response for this target until the `with` block ends.

        After a publication, all threads may need the same response. If each rendered it, they would
        take several times the time and memory. So check the cache again within the block.
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

    def put(self, target: Target, response: Cached) -> bool:
        """Cache the response in place of an earlier one; return False if it is too large."""
        size = self.ENTRY_BYTES + response.size() + sum(map(len, target))
        if size > self._most_bytes:
            return False
        with self._lock:
            self._entries[target] = response, size
        return True
