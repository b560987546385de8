"""Browse the catalogue: what is served now, held in memory and followed as it changes."""

import logging
import threading

from evref.domain.catalogue import Catalogue
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.ports.catalogue import CatalogueStore
from evref.ports.clock import Clock

log = logging.getLogger(__name__)


class BrowseCatalogue:
    """Holds the published catalogue, and asks storage at most twice a second for a newer one.

    Safe to share between threads: one of them asks, the others go on with what is held.
    """

    SECONDS_BETWEEN_LOOKS = 0.5

    def __init__(self, store: CatalogueStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._held: Catalogue | None = None
        self._next_look = float("-inf")
        self._looking = threading.Lock()

    def current(self) -> Catalogue:
        """The served catalogue; the caller keeps to this one for the whole of an answer.

        While storage is out of reach, the one that is held goes on being served.

        Raises:
            NoCatalogueError: when none was ever published.
            StorageUnavailableError: when none is held yet and storage is out of reach.

        """
        if self._clock.monotonic() >= self._next_look:
            self._look()
        if self._held is None:
            raise NoCatalogueError
        return self._held

    def _look(self) -> None:
        if not self._looking.acquire(blocking=self._held is None):
            return
        try:
            if self._clock.monotonic() < self._next_look:
                return
            self._follow()
            self._next_look = self._clock.monotonic() + self.SECONDS_BETWEEN_LOOKS
        except StorageUnavailableError as error:
            if self._held is None:
                raise
            log.warning("serving the catalogue that is held: %s", error.reason)
            self._next_look = self._clock.monotonic() + self.SECONDS_BETWEEN_LOOKS
        finally:
            self._looking.release()

    def _follow(self) -> None:
        version = self._store.version()
        if version is None or (self._held is not None and self._held.version == version):
            return
        publication = self._store.load()
        if publication is not None:
            self._held = publication.catalogue
