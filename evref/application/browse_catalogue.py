"""Browse the catalogue: what is served now, held in memory and followed as it changes."""

import logging
import threading
from collections.abc import Callable

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.ports.catalogue import PublishedCatalogue
from evref.ports.clock import Clock

log = logging.getLogger(__name__)

Run = Callable[[Callable[[], None]], None]
"""Runs what it is given, and returns when that has ended or has taken too long to wait for."""

_SECONDS_TO_WAIT = 0.1


def in_background(act: Callable[[], None]) -> None:
    """Run it in a thread of its own, which is waited for a tenth of a second."""
    thread = threading.Thread(target=act, name="evref-catalogue", daemon=True)
    thread.start()
    thread.join(_SECONDS_TO_WAIT)


class BrowseCatalogue:
    """Holds the published catalogue, and asks storage at most twice a second for a newer one.

    A newer catalogue is loaded in the background, while the held one is served. Most are loaded
    at once, since only what changed is read; the request that found the newer version waits for
    that, at most a tenth of a second. A thread runs only while a newer catalogue is loaded.

    Safe to share between threads: one of them asks, the others go on with what is held.
    """

    SECONDS_BETWEEN_LOOKS = 0.5

    def __init__(
        self,
        store: PublishedCatalogue,
        clock: Clock,
        breaker: CircuitBreaker,
        run: Run = in_background,
    ) -> None:
        self._store = store
        self._clock = clock
        self._breaker = breaker
        self._run = run
        self._held: Catalogue | None = None
        self._failure: StorageUnavailableError | None = None
        self._next_look = float("-inf")
        self._looking = threading.Lock()
        self._loading = threading.Lock()

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
                self._has_failed(error)
            self._next_look = self._clock.monotonic() + self.SECONDS_BETWEEN_LOOKS
        finally:
            self._looking.release()

    def _follow(self) -> None:
        version = self._store.version()
        if version is None or (self._held is not None and self._held.version == version):
            self._has_succeeded()
        elif self._held is None:
            self._load()
        elif not self._loading.locked():
            self._run(self._load_beside)

    def _load_beside(self) -> None:
        with self._loading:
            try:
                self._load()
            except StorageUnavailableError as error:
                self._has_failed(error)

    def _load(self) -> None:
        catalogue = self._store.load()
        if catalogue is not None:
            self._held = catalogue
        self._has_succeeded()

    def _has_failed(self, error: StorageUnavailableError) -> None:
        if self._held is not None and self._failure is None:
            log.warning("serving the catalogue that is held: %s", error.reason)
        # Kept for those who wait for the lock: each trying anew would add up their waits.
        self._failure = error

    def _has_succeeded(self) -> None:
        if self._failure is not None:
            log.warning("the catalogue is followed again: storage is back")
        self._failure = None
