"""Ready means: storage takes writes and a catalogue is served."""

import pytest

from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.report_health import Readiness, ReportHealth
from evref.testing.builders import a_catalogue
from evref.testing.filling import keep_catalogue
from tests.fakes import BreakableStorage, FakeClock


@pytest.fixture
def health(store: BreakableStorage, clock: FakeClock) -> ReportHealth:
    browse = BrowseCatalogue(store.catalogue, clock, CircuitBreaker(clock))
    return ReportHealth(store, browse)


def test_it_is_ready_while_storage_takes_writes_and_a_catalogue_is_served(
    health: ReportHealth, store: BreakableStorage
) -> None:
    """A catalogue that is held is not enough."""
    keep_catalogue(store, a_catalogue())

    for broken in (False, True, False):
        store.broken = broken
        expected = Readiness(False, None) if broken else Readiness(True, a_catalogue().version)
        assert health.readiness() == expected
        assert health.readiness().ready is not broken


def test_it_is_not_ready_without_a_catalogue(health: ReportHealth) -> None:
    assert health.readiness() == Readiness(True, None)
    assert not health.readiness().ready
