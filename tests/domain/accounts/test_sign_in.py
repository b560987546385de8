"""How long a session lasts, and how failed sign-ins slow the next one."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.accounts.session import Session, SessionToken
from evref.domain.accounts.slowdown import PER_ACCOUNT, PER_ADDRESS, PER_DEVICE, Failures, network
from evref.testing.builders import NOON, a_member


@given(st.integers(0, SessionToken.SECRETS - 1))
def test_a_token_is_48_base62_digits_that_its_representation_leaves_out(secret: int) -> None:
    token = SessionToken.make(secret)

    assert re.fullmatch("[0-9A-Za-z]{48}", token.text)
    assert token.text[:8] not in f"{token!r} {token}"


@pytest.mark.parametrize(
    ("later", "live"),
    [
        (timedelta(0), True),
        (timedelta(hours=12) - timedelta(microseconds=1), True),
        (timedelta(hours=12), False),
        (timedelta(days=9), False),
        # The clock of another host may be behind, and a clock may jump.
        (-timedelta(minutes=1), True),
        (-timedelta(minutes=1, microseconds=1), False),
        (-timedelta(days=9), False),
    ],
)
def test_a_session_lives_12_hours(later: timedelta, live: bool) -> None:
    session = Session.begin(a_member(), SessionToken.make(7), NOON)

    assert session.is_live(a_member(), NOON + later) is live


def test_a_session_ends_when_the_password_changes() -> None:
    session = Session.begin(a_member(), SessionToken.make(7), NOON)

    assert not session.is_live(replace(a_member(), password_hash="$argon2id$other"), NOON)


@pytest.mark.parametrize(
    ("count", "seconds"), [(0, 0), (4, 0), (5, 5), (6, 10), (7, 20), (8, 40), (9, 60), (10**4, 60)]
)
def test_each_failure_beyond_a_number_doubles_the_wait_up_to_a_minute(
    count: int, seconds: int
) -> None:
    """An address may have more failures without a wait than an account."""
    assert PER_ACCOUNT.wait(Failures("name", count, NOON), NOON) == timedelta(seconds=seconds)
    assert PER_ADDRESS.wait(Failures("name", count + 15, NOON), NOON) == timedelta(seconds=seconds)


@given(st.integers(0, 100), st.integers(0, 10**6))
def test_no_wait_remains_after_the_wait(count: int, microseconds: int) -> None:
    instant = NOON + timedelta(microseconds=microseconds)
    wait = PER_ACCOUNT.wait(Failures("name", count, NOON), instant)

    assert PER_ACCOUNT.wait(Failures("name", count, NOON), instant + wait) == timedelta(0)


def test_failures_from_a_clock_that_was_ahead_delay_nothing() -> None:
    failures = Failures("name", 9, NOON + timedelta(days=10))

    assert PER_ACCOUNT.wait(failures, NOON) == timedelta(0)
    assert PER_ACCOUNT.one_more(failures, NOON) == Failures("name", 10, NOON)


def test_failures_are_forgotten_after_a_time_without_failures() -> None:
    failures, forgotten_at = Failures("name", 7, NOON), NOON + PER_ACCOUNT.kept

    assert PER_ACCOUNT.one_more(failures, forgotten_at) == Failures("name", 1, forgotten_at)
    just_before = forgotten_at - timedelta(microseconds=1)
    assert PER_ACCOUNT.one_more(failures, just_before) == Failures("name", 8, just_before)


def test_the_right_password_forgives_one_failure_or_all_of_an_account() -> None:
    for slowdown in (PER_ADDRESS, PER_DEVICE):
        assert slowdown.forgiven(Failures("name", 1, NOON)) == Failures("name")
        assert slowdown.forgiven(Failures("name", 3, NOON)) == Failures("name", 2, NOON)
    assert PER_ACCOUNT.forgiven(Failures("name", 3, NOON)) == Failures("name")


def test_names_differ_by_kind_and_do_not_show_the_text() -> None:
    names = [
        slowdown.name("ward@example.org") for slowdown in (PER_ACCOUNT, PER_ADDRESS, PER_DEVICE)
    ]

    assert len(set(names)) == 3
    assert "ward@example.org" not in str(names)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("2001:db8::1", "2001:0db8:0:0:ffff::2", True),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("2001:DB8::1", "2001:db8::1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("192.0.2.1:1024", "192.0.2.1:65535", True),
        ("192.0.2.1:443", "192.0.2.1", True),
        ("192.0.2.1:443", "192.0.2.2:443", False),
        ("[2001:db8::1]:1024", "2001:db8::2", True),
        ("[2001:db8::1]", '"[2001:db8::1]:65535"', True),
        ("[2001:db8::1]:443", "[2001:db8:0:1::1]:443", False),
        ("2001:db8:1:2:3:4:5:6:443", "2001:db8:1:2::", True),
        ("2001:db8::1:51234", "2001:db8::1:443", True),
        ("[::ffff:192.0.2.1]:443", "192.0.2.1:80", True),
        ("fe80::1%eth0", "[fe80::1%25eth0]:443", True),
        ("fe80::1%eth0", "fe80::1%eth0:443", True),
        ("", "unix:", False),
    ],
)
def test_only_addresses_of_one_network_are_counted_as_one(
    one: str, other: str, *, is_one: bool
) -> None:
    assert (network(one) == network(other)) is is_one
