"""Browse the catalogue: the published catalogue, cached in memory and refreshed."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import dropwhile

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.search.lists import WITHOUT_LISTS, WordLists
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.served import Served
from evref.domain.errors import NoCatalogueError, StorageUnavailableError, UnknownVersionError
from evref.ports.catalogue import CATALOGUES_KEPT, PublishedCatalogue
from evref.ports.system import Clock

log = logging.getLogger(__name__)

Run = Callable[[Callable[[], None]], None]
"""Runs a function, and returns when it has ended or after a timeout."""

_SECONDS_TO_WAIT = 0.1


def in_background(act: Callable[[], None]) -> None:
    """Run the function in a new thread, and wait for it for at most 0.1 seconds."""
    thread = threading.Thread(target=act, name="evref-catalogue", daemon=True)
    thread.start()
    thread.join(_SECONDS_TO_WAIT)


class BrowseCatalogue:
    """Caches the published catalogue, and checks storage for a newer one at most twice a second.

    One thread at a time does so, in the background, and the others use the cached catalogue until
    a newer one is loaded. The request that starts the thread waits for it, at most 0.1 seconds.
    """

    SECONDS_BETWEEN_LOOKS = 0.5

    def __init__(
        self,
        store: PublishedCatalogue,
        clock: Clock,
        breaker: CircuitBreaker,
        lists: WordLists = WITHOUT_LISTS,
        run: Run = in_background,
    ) -> None:
        self._store = store
        self._clock = clock
        self._breaker = breaker
        self._lists = lists
        self._run = run
        self._held: Served | None = None
        self._failure: StorageUnavailableError | None = None
        self._next_look = float("-inf")
        self._refreshing = threading.Lock()

    def current(self) -> Served:
        """Return what is served; a caller uses it for its whole response.

        While storage is unavailable, returns the cached one.
        """
        if self._clock.monotonic() >= self._next_look:
            if self._held is None:
                self._refresh()
            elif not self._refreshing.locked():
                self._run(self._refresh)
        if self._held is not None:
            return self._held
        failure = self._failure
        if failure is not None:
            raise StorageUnavailableError(failure.reason) from failure
        raise NoCatalogueError

    def changes_since(self, served: Served, version: str) -> Publication | None:
        """Return the served publication compared with a version; None if this version is served.

        A change that was reverted does not count.
        """
        if version == served.catalogue.version:
            return None
        kept = [publication.version for publication in served.publications[:CATALOGUES_KEPT]]
        earlier = None
        if version in kept:
            earlier = self._breaker(lambda: self._store.load(version))
        if earlier is None:
            raise UnknownVersionError(version, tuple(dict.fromkeys(kept)))
        comparison = served.catalogue.compared_with(earlier)
        return replace(served.publications[0], comparison=comparison)

    def follow(self) -> None:
        """Check storage even while there are no requests, in a thread that never ends."""
        threading.Thread(target=self._keep_looking, name="evref-follow", daemon=True).start()

    def _keep_looking(self) -> None:
        never = threading.Event()
        while not never.wait(self.SECONDS_BETWEEN_LOOKS):
            self._refresh()

    def _refresh(self) -> None:
        # Without a cached catalogue, every thread must wait for the thread that loads it.
        if not self._refreshing.acquire(blocking=self._held is None):
            return
        try:
            if self._clock.monotonic() >= self._next_look:
                self._load_if_newer()
        finally:
            self._refreshing.release()

    def _load_if_newer(self) -> None:
        held = self._held
        try:
            publication_id = self._breaker(self._store.publication_id)
            if publication_id is not None and (held is None or publication_id != held.id):
                self._load(publication_id)
        except StorageUnavailableError as error:
            if held is not None and self._failure is None:
                log.warning("serving the cached catalogue: %s", error.reason)
            # The threads that wait for the lock must not retry, or their waits would add up.
            self._failure = error
        else:
            if self._failure is not None:
                log.warning("storage is available again; the catalogue is refreshed")
            self._failure = None
        finally:
            self._next_look = self._clock.monotonic() + self.SECONDS_BETWEEN_LOOKS

    def _load(self, publication_id: str) -> None:
        catalogue = self._store.load()
        if catalogue is None:
            return
        # A catalogue is served only when its version and its index are complete.
        version, search = catalogue.version, Search(catalogue, self._lists)
        # A newer catalogue may be published in between: it is then loaded now and at the next
        # check.
        publications = dropwhile(
            lambda publication: publication.version != version, self._store.history()
        )
        loaded = self._store.loaded_map()
        snomed = None if loaded is None else loaded.map
        self._held = Served(catalogue, search, tuple(publications), publication_id, snomed)
