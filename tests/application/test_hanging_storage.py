"""Requests do not queue up behind a storage that hangs."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from evref.application.hanging_storage import HangingStorageGuard
from evref.domain.errors import InvalidApiKeyError, StorageUnavailableError
from tests.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def guard(clock: FakeClock) -> HangingStorageGuard:
    return HangingStorageGuard(clock)


def fail(guard: HangingStorageGuard, after: Callable[[], None]) -> None:
    """Storage does not answer one request, after so much time."""

    def ask() -> None:
        after()
        raise StorageUnavailableError("no answer")

    with suppress(StorageUnavailableError):
        guard(ask)


def lets_through(guard: HangingStorageGuard) -> bool:
    """Whether a request that storage answers at once is let through."""
    try:
        return guard(lambda: True)
    except StorageUnavailableError:
        return False


def test_a_storage_that_refuses_at_once_is_asked_by_everybody(
    guard: HangingStorageGuard, clock: FakeClock
) -> None:
    """It keeps nobody waiting, and serves again with the next request."""
    fail(guard, lambda: clock.advance(seconds=0.4))

    assert lets_through(guard)


def test_a_storage_that_hangs_is_left_alone_for_a_second(
    guard: HangingStorageGuard, clock: FakeClock
) -> None:
    """Meanwhile everybody is refused at once; then storage is asked, and all goes on."""
    fail(guard, lambda: clock.advance(seconds=2))

    clock.advance(seconds=0.9)
    early = lets_through(guard)
    clock.advance(seconds=0.2)

    assert not early
    assert lets_through(guard)
    assert lets_through(guard)


def test_one_request_at_a_time_finds_out_whether_it_still_hangs(
    guard: HangingStorageGuard, clock: FakeClock
) -> None:
    """The others do not wait for what it finds."""
    fail(guard, lambda: clock.advance(seconds=2))
    clock.advance(seconds=1)

    beside = guard(lambda: [lets_through(guard) for _ in range(3)])

    assert beside == [False, False, False]
    assert lets_through(guard)


def test_a_storage_that_still_hangs_is_left_alone_again(
    guard: HangingStorageGuard, clock: FakeClock
) -> None:
    """For another second."""
    fail(guard, lambda: clock.advance(seconds=2))
    clock.advance(seconds=1)
    fail(guard, lambda: clock.advance(seconds=2))

    assert not lets_through(guard)


def test_an_answer_that_refuses_is_an_answer(guard: HangingStorageGuard, clock: FakeClock) -> None:
    """Such as that the key is not valid: storage is there."""
    fail(guard, lambda: clock.advance(seconds=2))
    clock.advance(seconds=1)

    def refuse() -> None:
        raise InvalidApiKeyError

    with pytest.raises(InvalidApiKeyError):
        guard(refuse)

    assert lets_through(guard)


def test_one_that_waited_in_vain_says_nothing_of_a_storage_that_answered_others(
    guard: HangingStorageGuard, clock: FakeClock
) -> None:
    """A straggler of an outage that is over, or one that others crowded out."""

    def while_another_is_answered() -> None:
        clock.advance(seconds=2)
        lets_through(guard)
        clock.advance(seconds=0.5)

    fail(guard, while_another_is_answered)

    assert lets_through(guard)
