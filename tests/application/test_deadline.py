"""Tests of the deadline that all calls to storage of a request share."""

import pytest

from evref.domain.errors import StorageUnavailableError
from evref.ports.deadline import StorageCall, one_request
from tests.fakes import FakeClock


def test_the_calls_of_a_request_wait_for_three_seconds_together(clock: FakeClock) -> None:
    """Calls that succeed count too. What the request does between them does not."""
    with one_request():
        for waited, allowed in ((2.0, 2.5), (0.9, 1.0), (0.2, 0.1)):
            with StorageCall(clock.monotonic, most=2.5) as ends_at:
                assert ends_at - clock.monotonic() == pytest.approx(allowed)
                clock.advance(seconds=waited)
            clock.advance(seconds=10)
        with (
            pytest.raises(StorageUnavailableError),
            StorageCall(clock.monotonic, most=2.5),
        ):
            pytest.fail("no time is left")


def test_a_call_that_could_respond_too_late_is_not_made(clock: FakeClock) -> None:
    """A client such as that of Redis has a fixed timeout."""
    with one_request():
        with StorageCall(clock.monotonic, least=1, most=2):
            clock.advance(seconds=2)
        with (
            pytest.raises(StorageUnavailableError),
            StorageCall(clock.monotonic, least=1, most=2),
        ):
            pytest.fail("one second is left")


def fail(clock: FakeClock, after: float) -> str:
    """Make a call that may wait for a minute but fails after so many seconds; return its reason."""

    def call() -> None:
        with StorageCall(clock.monotonic, most=60):
            clock.advance(seconds=after)
            raise StorageUnavailableError("it is locked")

    with pytest.raises(StorageUnavailableError) as caught:
        call()
    return caught.value.reason


@pytest.mark.parametrize(("seconds", "calls"), [(0.5, 1), (0.4, 2)])
def test_after_a_call_that_hung_the_request_waits_no_more(
    clock: FakeClock, seconds: float, calls: int
) -> None:
    """Not even if it ignores the failure. A quick failure costs no time and is forgotten."""
    with one_request():
        reasons = [fail(clock, seconds), fail(clock, seconds)]

    assert reasons.count("it is locked") == calls


def test_the_next_request_and_a_command_have_their_own_time(clock: FakeClock) -> None:
    with one_request():
        fail(clock, 4)
    assert [fail(clock, 4), fail(clock, 4)] == ["it is locked"] * 2
    with one_request():
        assert fail(clock, 4) == "it is locked"
