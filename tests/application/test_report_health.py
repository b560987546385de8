"""Ready means: storage takes writes and a catalogue is served."""

import pytest

from evref.adapters.outbound.memory import MemoryCatalogueStore, MemoryState, MemoryStorage
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.report_health import Readiness, ReportHealth
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import a_catalogue
from evref.testing.stores import keep_catalogue
from tests.fakes import BreakableCatalogueStore, FakeClock


class BreakableStorage(MemoryStorage):
    broken = False

    def ping(self) -> None:
        if self.broken:
            raise StorageUnavailableError("gone")
        super().ping()


@pytest.fixture
def store(state: MemoryState) -> BreakableCatalogueStore:
    return BreakableCatalogueStore(MemoryCatalogueStore(state))


@pytest.fixture
def storage(state: MemoryState) -> BreakableStorage:
    return BreakableStorage(state)


@pytest.fixture
def health(
    storage: BreakableStorage, store: BreakableCatalogueStore, clock: FakeClock
) -> ReportHealth:
    return ReportHealth(storage, BrowseCatalogue(store, clock, CircuitBreaker(clock)))


def test_it_is_ready_while_storage_answers_and_a_catalogue_is_served(
    health: ReportHealth, store: BreakableCatalogueStore
) -> None:
    keep_catalogue(store, a_catalogue())

    assert health.readiness() == Readiness(True, a_catalogue().version)
    assert health.readiness().ready


def test_it_is_not_ready_without_a_catalogue(health: ReportHealth) -> None:
    assert health.readiness() == Readiness(True, None)
    assert not health.readiness().ready


def test_it_is_not_ready_while_storage_takes_no_writes_though_a_catalogue_is_held(
    health: ReportHealth, store: BreakableCatalogueStore, storage: BreakableStorage
) -> None:
    keep_catalogue(store, a_catalogue())
    health.readiness()
    storage.broken = True

    assert not health.readiness().ready
    assert not health.readiness().storage_answers
    storage.broken = False
    assert health.readiness().ready


def test_it_is_not_ready_while_no_catalogue_can_be_loaded(
    health: ReportHealth, store: BreakableCatalogueStore, clock: FakeClock
) -> None:
    keep_catalogue(store, a_catalogue())
    store.broken = True

    assert health.readiness() == Readiness(False, None)
    store.broken = False
    clock.advance(seconds=1)
    assert health.readiness().ready
