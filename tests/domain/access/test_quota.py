"""The UTC day in which requests are counted, and the seconds and requests that are left."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.access.quota import Quota, utc_day

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(datetime(1969, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001 - bounds have none
MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)


def test_the_reset_is_in_unix_time() -> None:
    noon = datetime(2026, 11, 22, 12, tzinfo=UTC)

    assert Quota("k1", 1, 1, noon).resets_at == 1_795_392_000


@given(instants)
@example(MIDNIGHT)
@example(MIDNIGHT - timedelta(microseconds=1))
@example(MIDNIGHT + timedelta(microseconds=1))
@example(datetime(6326, 1, 1, 0, 0, 0, 999_985, tzinfo=UTC))
def test_the_seconds_left_are_whole_and_rounded_up(instant: datetime) -> None:
    """A client that waits so long is in the next UTC day, and a second less is not enough."""
    day, left = utc_day(instant), Quota("k1", 1, 1, instant).seconds_left

    assert day == instant.astimezone(UTC).date()
    assert 1 <= left <= 86_400
    assert utc_day(instant + timedelta(seconds=left)) == day + timedelta(days=1)
    assert utc_day(instant + timedelta(seconds=left - 1)) == day


@given(st.integers(0, 10_000_000), st.integers(0, 10_000_000))
def test_the_remaining_requests_are_never_negative(limit: int, admitted: int) -> None:
    remaining = Quota("k1", limit, admitted, MIDNIGHT).remaining

    assert remaining == (limit - admitted if admitted < limit else 0)
