"""Cached responses: the most recently used ones, up to a number of bytes."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TypeAlias

from cachetools import LRUCache

from evref.adapters.inbound.web.negotiation import preferred_media_type
from evref.adapters.inbound.web.representations import Representation
from evref.domain.access.key import Permission

Target: TypeAlias = tuple[str, ...]
"""What a request is for: its path and query, as WSGI has them."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200, the catalogue version it was made from, and its view's route.

    `needed` is the permission of the keys that may have it. `offers` has the media types that the
    view offers; with more than one, Accept chooses among them, and `media_type` is the one chosen.
    """

    version: str
    route: str
    representation: Representation
    needed: Permission = Permission.READ
    offers: tuple[str, ...] = ()
    media_type: str = ""


class ResponseCache:
    """The most recently used responses, up to so many bytes; safe between threads.

    The bytes are those of the bodies, of the targets, which a client can make long, and of the
    objects that hold them.
    """

    ENTRY_BYTES = 2048
    """What an entry takes besides its bodies and its target: measured, and rounded up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        # A target whose view offers several media types has these, and each of them a response.
        self._entries: LRUCache[Target, tuple[CachedResponse | tuple[str, ...], int]] = LRUCache(
            most_bytes, getsizeof=lambda entry: entry[1]
        )
        self._lock = threading.Lock()

    def get(self, target: Target, accept: str = "") -> CachedResponse | None:
        """The response to a path and query, of any version, in the media type that is preferred.

        `accept` is the request's field Accept; it matters where the view offers several.
        """
        with self._lock:
            entry = self._entries.get(target)
            if entry is not None and isinstance(entry[0], tuple):
                entry = self._entries.get((*target, preferred_media_type(accept, entry[0])))
        return None if entry is None else entry[0]  # type: ignore[return-value]

    def put(self, target: Target, response: CachedResponse) -> None:
        """Cache it in place of an earlier one, unless it is larger than the whole cache."""
        size = self.ENTRY_BYTES + sum(map(len, target)) + response.representation.size()
        if size > self._most_bytes:
            return
        with self._lock:
            if len(response.offers) > 1:
                self._entries[target] = response.offers, self.ENTRY_BYTES + sum(map(len, target))
                target = (*target, response.media_type)
            self._entries[target] = response, size
