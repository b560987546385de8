"""Browse the catalogue: what is served now, held in memory and followed as it changes."""

import logging
import threading

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.ports.catalogue import CatalogueStore
from evref.ports.clock import Clock

log = logging.getLogger(__name__)


class BrowseCatalogue:
    """Holds the published catalogue, and asks storage at most twice a second for a newer one.

    Safe to share between threads: one of them asks, the others go on with what is held.
    """

    SECONDS_BETWEEN_LOOKS = 0.5

    def __init__(self, store: CatalogueStore, clock: Clock, breaker: CircuitBreaker) -> None:
        self._store = store
        self._clock = clock
        self._breaker = breaker
        self._held: Catalogue | None = None
        self._failure: StorageUnavailableError | None = None
        self._next_look = float("-inf")
        self._looking = threading.Lock()

    def current(self) -> Catalogue:
        """The served catalogue; the caller keeps to this one for the whole of an answer.

        While storage is out of reach, the one that is held goes on being served.

        Raises:
            NoCatalogueError: when none was ever published.
            StorageUnavailableError: when none is held yet and storage was out of reach at the
                last look.

        """
        if self._clock.monotonic() >= self._next_look:
            self._look()
        if self._held is not None:
            return self._held
        failure = self._failure
        if failure is not None:
            raise StorageUnavailableError(failure.reason) from failure
        raise NoCatalogueError

    def _look(self) -> None:
        # With nothing held there is nothing to go on with but what the one who looks will find.
        if not self._looking.acquire(blocking=self._held is None):
            return
        try:
            if self._clock.monotonic() < self._next_look:
                return
            try:
                self._breaker(self._follow)
            except StorageUnavailableError as error:
                if self._held is not None and self._failure is None:
                    log.warning("serving the catalogue that is held: %s", error.reason)
                # Kept for those who wait for the lock: each trying anew would add up their waits.
                self._failure = error
            else:
                if self._failure is not None:
                    log.warning("the catalogue is followed again: storage is back")
                self._failure = None
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
