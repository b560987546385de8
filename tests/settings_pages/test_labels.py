"""Times in words, at the limits of each unit."""

from datetime import UTC, datetime, timedelta

import pytest

from evref.adapters.inbound.pages.settings.labels import (
    address,
    exact_time,
    time_in_words,
    with_addresses,
)

NOW = datetime(2026, 11, 22, 14, 5, 30, tzinfo=UTC)


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
