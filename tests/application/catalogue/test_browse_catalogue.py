"""Tests of the served catalogue, which is held in memory and follows publications."""

import gc
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.catalogue import MemoryPublishedCatalogue
from evref.application.catalogue import browse_catalogue
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.search.lists import WITHOUT_LISTS
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.snomed import LoadedMap
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.testing.builders import NOON, a_catalogue, an_entry
from evref.testing.filling import keep_catalogue
from tests.fakes import BreakableStorage, FakeClock

FIRST = a_catalogue(an_entry(name="First"))
SECOND = a_catalogue(an_entry(name="Second"))


@pytest.fixture
def browse(store: BreakableStorage, clock: FakeClock) -> BrowseCatalogue:
    return BrowseCatalogue(store.catalogue, clock, CircuitBreaker(clock), run=at_once)


def at_once(act: Callable[[], None]) -> None:
    """Run the background work at once."""
    act()


@pytest.mark.parametrize("time_of_day", [NOON, NOON.replace(year=2020)], ids=["right", "corrected"])
def test_a_new_version_is_served_at_the_latest_after_half_a_second(
    browse: BrowseCatalogue, store: BreakableStorage, clock: FakeClock, time_of_day: datetime
) -> None:
    keep_catalogue(store, FIRST)
    browse.current()
    clock.set_time_of_day(time_of_day)
    keep_catalogue(store, SECOND)

    assert browse.current().catalogue.entries is FIRST.entries
    clock.advance(seconds=0.5)
    assert browse.current().catalogue.entries is SECOND.entries


@given(st.lists(st.integers(0, 6), max_size=60), st.booleans(), st.booleans())
def test_storage_is_asked_at_most_twice_a_second_whatever_it_answers(
    eighths: list[int], published: bool, broken: bool
) -> None:
    clock = FakeClock()
    store = BreakableStorage(MemoryStorage())
    browse = BrowseCatalogue(store.catalogue, clock, CircuitBreaker(clock), run=at_once)
    if published:
        keep_catalogue(store, FIRST)
    store.broken = broken
    looked_at = []
    for pause in eighths:
        looks = store.looks
        with suppress(NoCatalogueError, StorageUnavailableError):
            browse.current()
        looked_at += [clock.monotonic()] * (store.looks - looks)
        clock.advance(seconds=pause / 8)

    assert all(later - earlier >= 0.5 for earlier, later in pairwise(looked_at))


def test_an_outage_is_logged_once_and_so_is_its_end(
    browse: BrowseCatalogue,
    store: BreakableStorage,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    keep_catalogue(store, FIRST)
    browse.current()

    logged = []
    for broken in (False, True, True, True, False, False, True, False):
        store.broken = broken
        clock.advance(seconds=1)
        caplog.clear()
        browse.current()
        logged.append([record.message.partition(":")[0] for record in caplog.records])

    begins, ends = (
        "serving the cached catalogue",
        "storage is available again; the catalogue is refreshed",
    )
    assert logged == [[], [begins], [], [], [ends], [], [begins], [ends]]


def test_without_a_held_catalogue_an_outage_of_storage_is_an_error_until_it_ends(
    browse: BrowseCatalogue, store: BreakableStorage, clock: FakeClock
) -> None:
    keep_catalogue(store, FIRST)
    store.broken = True
    with pytest.raises(StorageUnavailableError) as caught:
        browse.current()

    assert caught.value.reason == "db.internal:5432 refused the connection"
    store.broken = False
    with pytest.raises(StorageUnavailableError):
        browse.current()
    clock.advance(seconds=0.5)
    assert browse.current().catalogue.entries is FIRST.entries


class SlowStore(MemoryPublishedCatalogue):
    """Blocks reads and loads until it is released; counts simultaneous reads."""

    def __init__(self, answer: Callable[[], Catalogue | None]) -> None:
        self._answer = answer
        self._inside = 0
        self.looks = 0
        self.loads = 0
        self.most_at_once = 0
        self.entered = threading.Event()
        self.let_go = threading.Event()
        self.let_load = threading.Event()
        self.let_load.set()

    def publication_id(self) -> str | None:
        self.looks += 1
        self._inside += 1
        self.most_at_once = max(self.most_at_once, self._inside)
        self.entered.set()
        self.let_go.wait(timeout=30)
        self._inside -= 1
        catalogue = self._answer()
        return None if catalogue is None else catalogue.version

    def history(self) -> tuple[Publication, ...]:
        return ()

    def loaded_map(self) -> LoadedMap | None:
        return None

    def load(self, version: str | None = None) -> Catalogue | None:
        self.loads += 1
        self.let_load.wait(timeout=30)
        return self._answer()


def browsing(clock: FakeClock, **keywords: Any) -> tuple[BrowseCatalogue, SlowStore]:
    """Return a use case that serves the first catalogue, and its store with the second."""
    served = [FIRST]
    store = SlowStore(lambda: served[0])
    store.let_go.set()
    browse = BrowseCatalogue(store, clock, CircuitBreaker(clock), **keywords)
    browse.current()
    served[0] = SECOND
    return browse, store


def out_of_reach() -> Catalogue | None:
    raise StorageUnavailableError("gone")


def test_while_one_thread_asks_storage_the_others_get_the_held_catalogue(clock: FakeClock) -> None:
    browse, store = browsing(clock, run=at_once)
    store.let_go.clear()
    store.entered.clear()
    clock.advance(seconds=1)

    with ThreadPoolExecutor(8) as pool:
        looking = pool.submit(browse.current)
        store.entered.wait(timeout=30)
        others = [pool.submit(browse.current).result(timeout=30) for _ in range(7)]
        store.let_go.set()

        assert [served.catalogue.entries for served in others] == [FIRST.entries] * 7
        assert looking.result(timeout=30).catalogue.entries is SECOND.entries
    assert store.looks == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda: FIRST, None),
        (lambda: None, NoCatalogueError),
        (out_of_reach, StorageUnavailableError),
    ],
    ids=["published", "nothing published", "out of reach"],
)
def test_many_threads_at_the_start_wait_for_one_look_up_and_share_its_result(
    clock: FakeClock, answer: Callable[[], Catalogue | None], error: type[Exception] | None
) -> None:
    """If each thread asked storage itself, the last one would wait for all their timeouts."""
    store = SlowStore(answer)
    browse = BrowseCatalogue(store, clock, CircuitBreaker(clock))

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(browse.current) for _ in range(8)]
        store.entered.wait(timeout=30)
        store.let_go.set()
        errors = [future.exception(timeout=30) for future in asked]

    assert [type(failure) if failure else None for failure in errors] == [error] * 8
    assert (store.looks, store.most_at_once) == (1, 1)


def wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "evref-catalogue":
            thread.join(timeout=30)


def test_while_a_newer_catalogue_is_loaded_all_requests_get_the_held_one(clock: FakeClock) -> None:
    """The newer catalogue is loaded only once, however long this takes."""
    browse, store = browsing(clock)
    store.let_load.clear()

    meanwhile = []
    for _ in range(10):
        clock.advance(seconds=0.5)
        meanwhile.append(browse.current())
    store.let_load.set()
    wait_for_threads()

    assert [served.catalogue.entries for served in meanwhile] == [FIRST.entries] * 10
    assert store.loads == 2
    assert browse.current().catalogue.entries is SECOND.entries


def test_a_newer_catalogue_that_loads_quickly_is_served_to_the_request_that_found_it(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the only client would get a catalogue that was replaced long ago."""
    # On a busy machine, a thread may begin late.
    monkeypatch.setattr(browse_catalogue, "_SECONDS_TO_WAIT", 60)
    browse, _ = browsing(clock)
    clock.advance(hours=1)

    assert browse.current().catalogue.entries is SECOND.entries


def test_a_newer_catalogue_that_cannot_be_loaded_is_logged_once(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    served: list[Catalogue | None] = [FIRST]

    def load() -> Catalogue | None:
        if served[0] is None:
            raise StorageUnavailableError("the stored catalogue is damaged")
        return served[0]

    store = SlowStore(load)
    store.publication_id = lambda: "first" if served[0] is FIRST else "newer"  # type: ignore[method-assign]
    browse = BrowseCatalogue(store, clock, CircuitBreaker(clock), run=at_once)
    browse.current()
    served[0] = None
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            clock.advance(seconds=0.5)
            assert browse.current().catalogue.entries is FIRST.entries
        served[0] = SECOND
        clock.advance(seconds=0.5)

        assert browse.current().catalogue.entries is SECOND.entries
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "serving the cached catalogue",
        "storage is available again; the catalogue is refreshed",
    ]


def test_no_cycle_of_references_keeps_the_search_of_a_replaced_catalogue() -> None:
    gc.collect()
    gc.disable()
    try:
        search = Search(FIRST, WITHOUT_LISTS)
        search.interventions("exercise")
        search.diagnoses("first")
        del search

        assert gc.collect() == 0
    finally:
        gc.enable()
