"""The window of a day, and what the holder of a key sees of it."""

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.access.quota import DailyWindow, QuotaStatus, Tally

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(datetime(1969, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001 - bounds have none
MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)


@given(instants)
def test_the_window_is_the_calendar_day_in_utc(instant: datetime) -> None:
    assert DailyWindow.of(instant).day == instant.astimezone(UTC).date()


def test_the_end_is_in_unix_time() -> None:
    assert DailyWindow(date(2026, 11, 22)).ends_at == 1_795_392_000


@given(instants)
@example(MIDNIGHT)
@example(MIDNIGHT - timedelta(microseconds=1))
@example(MIDNIGHT + timedelta(microseconds=1))
@example(datetime(6326, 1, 1, 0, 0, 0, 999_985, tzinfo=UTC))
def test_the_seconds_left_are_whole_and_rounded_up(instant: datetime) -> None:
    """Whoever waits that long is in the next window, and no second longer than needed."""
    window = DailyWindow.of(instant)
    left = window.seconds_left(instant)

    assert 1 <= left <= 86_400
    assert DailyWindow.of(instant + timedelta(seconds=left)) == DailyWindow(
        window.day + timedelta(days=1)
    )
    assert DailyWindow.of(instant + timedelta(seconds=left - 1)) == window


@given(st.integers(0, 10_000_000), st.integers(0, 10_000_000), instants)
def test_what_remains_is_never_negative(limit: int, admitted: int, instant: datetime) -> None:
    window = DailyWindow.of(instant)
    tally = Tally("k1", limit=limit, admitted=admitted, was_admitted=admitted <= limit)
    status = QuotaStatus.after(tally, instant)

    assert status.remaining == (limit - admitted if admitted < limit else 0)
    assert status.limit == limit
    assert status.resets_at == window.ends_at
    assert status.seconds_left == window.seconds_left(instant)
