"""Times in words, at the limits of each unit."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.inbound.pages.settings.labels import (
    address,
    day_in_words,
    exact_time,
    time_in_words,
    with_addresses,
)

NOW = datetime(2026, 11, 22, 14, 5, 30, tzinfo=UTC)

INSTANTS = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001 - Hypothesis adds the time zone
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(seconds=119), "1 minute ago"),
        (timedelta(minutes=2), "2 minutes ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(hours=38), "yesterday"),
        (timedelta(hours=39), "2 days ago"),
        (timedelta(days=30), "30 days ago"),
        (timedelta(days=31), "1 month ago"),
        (timedelta(days=364), "12 months ago"),
        (timedelta(days=365), "1 year ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(seconds=-1), "in less than a minute"),
        (timedelta(seconds=-60), "in 1 minute"),
        (timedelta(hours=-3), "in 3 hours"),
        (timedelta(days=-1), "tomorrow"),
        (timedelta(days=-6), "in 6 days"),
    ],
)
def test_a_time_is_told_in_its_unit(ago: timedelta, words: str) -> None:
    """From 24 hours on, the unit is the calendar day."""
    assert time_in_words(NOW - ago, NOW) == words


@given(at=INSTANTS, now=INSTANTS)
def test_a_time_is_never_told_on_the_wrong_side(at: datetime, now: datetime) -> None:
    """The words for the past and for the future are different."""
    words = time_in_words(at, now)

    is_future = words.startswith("in ") or words == "tomorrow"
    assert is_future == (at > now)


@given(at=INSTANTS, now=INSTANTS)
def test_a_time_of_other_days_is_told_as_its_day(at: datetime, now: datetime) -> None:
    """So a time and its day never contradict each other on a page."""
    if abs(at - now) >= timedelta(days=1):
        assert time_in_words(at, now) == day_in_words(at.date(), now.date())


def test_the_exact_time_has_the_zone() -> None:
    assert exact_time(NOW) == "22 November 2026, 14:05 UTC"


@pytest.mark.parametrize(
    ("email", "shown"),
    [
        ("ward@example.org", "ward@example.org"),
        ("o'h&r@<.org", "o&#39;h&amp;r@&lt;.org"),
        ("an.ward@a-b.rehab.example", "an<wbr>.ward<wbr>@a-b<wbr>.rehab<wbr>.example"),
    ],
)
def test_a_long_address_breaks_at_the_at_sign_and_full_stops(email: str, shown: str) -> None:
    solid = [f'<span class="solid">{part}</span>' for part in shown.split("<wbr>")]
    element = f"<span>{'<wbr>'.join(solid)}</span>" if "-" in email else shown

    assert str(address(email)) == element
    if "'" not in email:
        assert str(with_addresses(f"e-mail {email}, 'x'")) == (
            f"<span>e-mail {element}, &#39;x&#39;</span>"
        )
