"""Tests of the circuit breaker, which keeps requests from waiting for a hanging storage."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.errors import InvalidApiKeyError, StorageUnavailableError
from tests.fakes import FakeClock


@pytest.fixture
def breaker(clock: FakeClock) -> CircuitBreaker:
    return CircuitBreaker(clock)


@pytest.fixture
def half_open(breaker: CircuitBreaker, clock: FakeClock) -> CircuitBreaker:
    """Return a circuit that a call opened which hung, a second later."""
    fail(breaker, lambda: clock.advance(seconds=2))
    clock.advance(seconds=1)
    return breaker


def fail(breaker: CircuitBreaker, after: Callable[[], None]) -> None:
    """Make a request to storage that fails after `after` has advanced the clock."""

    def ask() -> None:
        after()
        raise StorageUnavailableError("no answer")

    with suppress(StorageUnavailableError):
        breaker(ask)


def lets_through(breaker: CircuitBreaker) -> bool:
    """Return whether a request that storage answers at once is let through."""
    try:
        return breaker(lambda: True)
    except StorageUnavailableError:
        return False


def test_a_quick_failure_leaves_the_circuit_closed(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    """A quick failure keeps nobody waiting, so the next request may try again."""
    fail(breaker, lambda: clock.advance(seconds=0.4))

    assert lets_through(breaker)


def test_a_call_that_hangs_opens_the_circuit_for_a_second(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    fail(breaker, lambda: clock.advance(seconds=2))

    clock.advance(seconds=0.9)
    early = lets_through(breaker)
    clock.advance(seconds=0.2)

    assert not early
    assert lets_through(breaker)
    assert lets_through(breaker)


def test_a_half_open_circuit_lets_one_call_through_at_a_time(half_open: CircuitBreaker) -> None:
    beside = half_open(lambda: [lets_through(half_open) for _ in range(3)])

    assert beside == [False, False, False]
    assert lets_through(half_open)


def test_a_half_open_circuit_opens_again_when_storage_still_hangs(
    half_open: CircuitBreaker, clock: FakeClock
) -> None:
    fail(half_open, lambda: clock.advance(seconds=2))

    assert not lets_through(half_open)


def test_an_error_that_is_an_answer_of_storage_closes_the_circuit(
    half_open: CircuitBreaker,
) -> None:
    """An invalid key, for example, shows that storage answers."""

    def refuse() -> None:
        raise InvalidApiKeyError

    with pytest.raises(InvalidApiKeyError):
        half_open(refuse)

    assert lets_through(half_open)


def test_a_late_failure_does_not_open_a_circuit_that_another_answer_closed(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    """The late call may come from an outage that is over, or may have waited behind others."""

    def while_another_is_answered() -> None:
        clock.advance(seconds=2)
        lets_through(breaker)
        clock.advance(seconds=0.5)

    fail(breaker, while_another_is_answered)

    assert lets_through(breaker)
