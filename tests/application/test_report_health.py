"""Tests of readiness: storage accepts writes and a catalogue is served."""

import pytest

from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.circuit_breaker import CircuitBreaker
from evref.application.report_health import Readiness, readiness
from evref.testing.builders import a_catalogue
from evref.testing.filling import keep_catalogue
from tests.fakes import BreakableStorage, FakeClock


@pytest.fixture
def browse(store: BreakableStorage, clock: FakeClock) -> BrowseCatalogue:
    return BrowseCatalogue(store.catalogue, clock, CircuitBreaker(clock))


def test_the_service_is_ready_while_storage_accepts_writes_and_a_catalogue_is_served(
    browse: BrowseCatalogue, store: BreakableStorage
) -> None:
    """A catalogue in memory is not enough while storage is unavailable."""
    keep_catalogue(store, a_catalogue())

    for broken in (False, True, False):
        store.broken = broken
        expected = Readiness(False, None) if broken else Readiness(True, a_catalogue().version)
        assert readiness(store, browse) == expected
        assert expected.ready is not broken


def test_the_service_is_not_ready_without_a_catalogue(
    browse: BrowseCatalogue, store: BreakableStorage
) -> None:
    assert readiness(store, browse) == Readiness(True, None)
    assert not Readiness(True, None).ready
