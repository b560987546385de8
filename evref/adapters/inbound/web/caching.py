"""A cache of the most recently used responses, limited in bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakValueDictionary

from cachetools import LRUCache

from evref.adapters.inbound.web.negotiation import preferred_media_type
from evref.adapters.inbound.web.representations import Representation
from evref.domain.access.permission import Permission

Target: TypeAlias = tuple[str, ...]
"""The target of a request: its path and query, as in WSGI."""

Select: TypeAlias = Callable[[str, tuple[str, ...]], str]
"""Returns which of several media types a view sends for an Accept header."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200, the publication it is made from, and the route of its view.

    `needed` is the permission that a key needs for it. `offers` has the media types that the view
    offers; if there are several, `select` selects one of them, which is `media_type`.
    """

    publication_id: str
    route: str
    representation: Representation
    needed: Permission = Permission.READ
    offers: tuple[str, ...] = ()
    media_type: str = ""
    select: Select = preferred_media_type


class ResponseCache:
    """The most recently used responses, up to a number of bytes; thread-safe.

    The bytes include the bodies, the targets, which a client can make long, and the overhead of
    the objects.
    """

    ENTRY_BYTES = 2048
    """Bytes of an entry in addition to its bodies and its target: measured, and rounded up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        # How to select a media type for a target whose view offers several; each has a response.
        self._entries: LRUCache[
            Target, tuple[CachedResponse | tuple[Select, tuple[str, ...]], int]
        ] = LRUCache(most_bytes, getsizeof=lambda entry: entry[1])
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

    def get(self, target: Target, accept: str = "") -> CachedResponse | None:
        """Return the response for a target, of any publication, in the preferred media type.

        `accept` is the Accept header of the request, which matters if the view offers several.
        """
        with self._lock:
            try:
                # `get` of cachetools looks for the target twice.
                found, _ = self._entries[target]
                if isinstance(found, tuple):
                    select, offers = found
                    found, _ = self._entries[(*target, select(accept, offers))]
            except KeyError:
                return None
        return found  # type: ignore[return-value]

    def put(self, target: Target, response: CachedResponse) -> None:
        """Cache the response and replace an earlier one, unless it is larger than the cache."""
        size = self.ENTRY_BYTES + sum(map(len, target)) + response.representation.size()
        if size > self._most_bytes:
            return
        with self._lock:
            if len(response.offers) > 1:
                selection = response.select, response.offers
                self._entries[target] = selection, self.ENTRY_BYTES + sum(map(len, target))
                target = (*target, response.media_type)
            self._entries[target] = response, size
