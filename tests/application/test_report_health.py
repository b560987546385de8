"""Ready means: storage takes writes and a catalogue is served."""

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.report_health import Readiness, ReportHealth
from evref.testing.builders import a_catalogue
from evref.testing.filling import keep_catalogue
from tests.fakes import BreakableStorage, FakeClock


@pytest.fixture
def store(storage: MemoryStorage) -> BreakableStorage:
    return BreakableStorage(storage)


@pytest.fixture
def health(store: BreakableStorage, clock: FakeClock) -> ReportHealth:
    browse = BrowseCatalogue(store.catalogue, clock, CircuitBreaker(clock))
    return ReportHealth(store, browse)


def test_it_is_ready_while_storage_answers_and_a_catalogue_is_served(
    health: ReportHealth, store: BreakableStorage
) -> None:
    keep_catalogue(store, a_catalogue())

    assert health.readiness() == Readiness(True, a_catalogue().version)
    assert health.readiness().ready


def test_it_is_not_ready_without_a_catalogue(health: ReportHealth) -> None:
    assert health.readiness() == Readiness(True, None)
    assert not health.readiness().ready


def test_it_is_not_ready_while_storage_takes_no_writes_though_a_catalogue_is_held(
    health: ReportHealth, store: BreakableStorage
) -> None:
    keep_catalogue(store, a_catalogue())
    health.readiness()
    store.broken = True

    assert health.readiness() == Readiness(False, None)
    store.broken = False
    assert health.readiness().ready
