"""Tests of signing in, changing the password, and slowing down guesses."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.accounts import MemoryRecordChanges
from evref.adapters.outbound.memory.state import MemoryState
from evref.application.accounts.passwords import Bulkhead
from evref.application.accounts.people import People
from evref.application.accounts.sign_in import SignIn
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.session import SessionToken
from evref.domain.accounts.slowdown import Device
from evref.domain.audit import Action
from evref.domain.errors import (
    BusyError,
    InvalidValueError,
    NotSignedInError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.domain.principal import Principal
from evref.ports.accounts import ATTEMPTS, MEMBERS, SESSIONS, Kind
from evref.ports.storage import Changes, DelegatingStorage
from evref.testing.builders import NOON, OPERATOR
from tests.fakes import FakeClock, QuickPasswordHasher, SingleGuess
from tests.use_cases import Fakes

EMAIL = "ward@example.org"
PASSWORD = "correct horse battery"
HERE = "192.0.2.1"
ELSEWHERE = "192.0.2.2"


@pytest.fixture(autouse=True)
def member(people: People, hospital: Institution) -> Member:
    return people.create(OPERATOR, hospital.id, EMAIL, password=PASSWORD)


def fail(
    sign_in: SignIn,
    times: int,
    *,
    email: str = EMAIL,
    address: str = HERE,
    device: Device | None = None,
) -> None:
    for _ in range(times):
        with suppress(WrongCredentialsError, TooManyAttemptsError):
            sign_in.begin(email, "wrong password", address=address, device=device)


def is_signed_in(sign_in: SignIn, token: SessionToken) -> bool:
    try:
        sign_in.who(token)
    except NotSignedInError:
        return False
    return True


def test_a_password_is_hashed_even_if_there_is_no_member(
    sign_in: SignIn, passwords: QuickPasswordHasher
) -> None:
    """Otherwise the time of the response would show who has an account."""
    fail(sign_in, 1, email="nobody@example.org")
    fail(sign_in, 1)

    assert passwords.verified == 2


def test_sessions_that_have_ended_are_cleared_away(
    sign_in: SignIn, clock: FakeClock, state: MemoryState
) -> None:
    sign_in.begin(EMAIL, PASSWORD, address=HERE)
    clock.advance(hours=31 * 24)
    sign_in.begin(EMAIL, PASSWORD, address=HERE)

    assert len(state.records[SESSIONS]) == 1


# Changing the password


NEW = "another long one"
CHANGE: dict[str, Any] = {"present": PASSWORD, "new": NEW, "repeated": NEW, "address": HERE}


def test_a_refused_change_names_every_fault_and_changes_nothing(sign_in: SignIn) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE).token

    with pytest.raises(InvalidValueError) as caught:
        sign_in.change_password(token, present="x", new="y", repeated="z", address=HERE)

    assert [fault.field for fault in caught.value.faults] == ["present", "password", "repeated"]
    assert is_signed_in(sign_in, token)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE).token)


@pytest.mark.parametrize("present", ["", "wrong one"])
def test_a_wrong_present_password_is_counted_and_the_new_one_is_not_estimated(
    sign_in: SignIn, guesser: SingleGuess, present: str
) -> None:
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE).token
    before = guesser.estimates
    for _ in range(6):
        with pytest.raises((InvalidValueError, TooManyAttemptsError)) as caught:
            sign_in.change_password(token, **CHANGE | {"present": present})

    assert caught.type is TooManyAttemptsError
    assert guesser.estimates == before


class ResettingStorage(DelegatingStorage):
    """Resets a password as the operator right after a member has changed it."""

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with super().changes(principal, instant) as changes:
            yield changes
        if any(entry.action is Action.PASSWORD_CHANGED for entry in changes.entries):
            (member,) = self.records.find(MEMBERS)
            with super().changes(OPERATOR, instant) as changes:
                reset = replace(member, password_hash="$quick$0$operator's")
                changes.records.replace(MEMBERS, reset)


def test_a_reset_right_after_a_change_ends_the_new_session_too(
    storage: MemoryStorage, fakes: Fakes
) -> None:
    sign_in = fakes.sign_in(ResettingStorage(storage))
    token = sign_in.begin(EMAIL, PASSWORD, address=HERE).token
    begun = sign_in.change_password(token, **CHANGE).token

    assert not is_signed_in(sign_in, begun)


# Slowing down


def test_an_account_is_slowed_for_every_address_even_if_it_does_not_exist(
    sign_in: SignIn,
) -> None:
    for email in (EMAIL, "nobody@example.org"):
        fail(sign_in, 5, email=email)
        with pytest.raises(TooManyAttemptsError):
            sign_in.begin(email, PASSWORD, address=ELSEWHERE)


@pytest.mark.parametrize("signs_in_between", [False, True])
def test_an_address_is_slowed_for_every_account(sign_in: SignIn, *, signs_in_between: bool) -> None:
    """A successful sign-in gives the address no more guesses at other accounts."""
    for number in range(20):
        fail(sign_in, 1, email=f"m{number}@example.org")
        if signs_in_between:
            with suppress(TooManyAttemptsError):
                sign_in.begin(EMAIL, PASSWORD, address=HERE)

    with pytest.raises(TooManyAttemptsError):
        sign_in.begin("another@example.org", PASSWORD, address=HERE)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE).token)


# Known devices


def test_guesses_from_elsewhere_do_not_lock_a_member_out(sign_in: SignIn, clock: FakeClock) -> None:
    """On a known device, the member can still sign in and change the password."""
    begun = sign_in.begin(EMAIL, PASSWORD, address=HERE)
    for _ in range(3):
        fail(sign_in, 30)
        clock.advance(minutes=1)
    fail(sign_in, 30)

    again = sign_in.begin(EMAIL, PASSWORD, address=HERE, device=begun.device)
    changed = sign_in.change_password(again.token, device=again.device, **CHANGE)

    assert is_signed_in(sign_in, changed.token)
    with pytest.raises(TooManyAttemptsError):
        sign_in.begin(EMAIL, "another long one", address=HERE)


def test_a_device_is_slowed_by_its_own_failures(
    sign_in: SignIn, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    """The failures of a device do not slow other sign-ins."""
    device = sign_in.begin(EMAIL, PASSWORD, address=HERE).device
    before = passwords.verified
    fail(sign_in, 30, device=device)

    assert passwords.verified - before == 5
    with pytest.raises(TooManyAttemptsError):
        sign_in.begin(EMAIL, PASSWORD, address=HERE, device=device)
    sign_in.begin(EMAIL, PASSWORD, address=HERE)
    clock.advance(seconds=5)
    sign_in.begin(EMAIL, PASSWORD, address=HERE, device=device)


def test_a_device_is_no_longer_known_after_ten_failures(
    sign_in: SignIn, clock: FakeClock, passwords: QuickPasswordHasher
) -> None:
    """The failures may be days apart, with sign-ins on other devices between them."""
    device = sign_in.begin(EMAIL, PASSWORD, address=HERE).device
    for _ in range(10):
        fail(sign_in, 1, device=device)
        sign_in.begin(EMAIL, PASSWORD, address=HERE)
        clock.advance(days=5)
    fail(sign_in, 5, address=ELSEWHERE)

    with pytest.raises(TooManyAttemptsError):
        sign_in.begin(EMAIL, PASSWORD, address=HERE, device=device)


@pytest.mark.parametrize("change", ["account", "password", "age", "clock"])
def test_a_device_is_known_for_half_a_year_for_one_account_and_one_password(
    sign_in: SignIn,
    people: People,
    member: Member,
    clock: FakeClock,
    change: str,
) -> None:
    device = sign_in.begin(EMAIL, PASSWORD, address=HERE).device
    email, password = EMAIL, PASSWORD
    match change:
        case "account":
            email = "other@example.org"
            people.create(OPERATOR, member.institution_id, email, password=PASSWORD)
        case "password":
            password = "another long one"
            people.reset_password(OPERATOR, member.id, password=password)
        case "age":
            clock.advance(days=180)
        case "clock":
            clock.set_time_of_day(NOON - timedelta(days=1))
    fail(sign_in, 5, email=email)

    with pytest.raises(TooManyAttemptsError):
        sign_in.begin(email, password, address=HERE, device=device)


# Places


def test_without_a_place_no_attempt_is_checked_or_counted(
    sign_in: SignIn, bulkhead: Bulkhead, passwords: QuickPasswordHasher, state: MemoryState
) -> None:
    fail(sign_in, 2)
    token = sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE).token
    counted, verified = dict(state.records[ATTEMPTS]), passwords.verified

    with bulkhead.turn("192.0.2.8"), bulkhead.turn("192.0.2.9"):
        with pytest.raises(BusyError):
            sign_in.begin(EMAIL, PASSWORD, address=HERE)
        with pytest.raises(BusyError):
            sign_in.change_password(token, **CHANGE)

    assert (state.records[ATTEMPTS], passwords.verified) == (counted, verified)
    assert is_signed_in(sign_in, sign_in.begin(EMAIL, PASSWORD, address=HERE).token)


def test_an_address_has_one_place_and_a_device_one_of_its_own(
    sign_in: SignIn, bulkhead: Bulkhead
) -> None:
    device = sign_in.begin(EMAIL, PASSWORD, address=HERE).device

    with bulkhead.turn(HERE):
        with pytest.raises(BusyError):
            sign_in.begin(EMAIL, PASSWORD, address=HERE)
        sign_in.begin(EMAIL, PASSWORD, address=ELSEWHERE)
        with bulkhead.turn(ELSEWHERE):
            sign_in.begin(EMAIL, PASSWORD, address=HERE, device=device)
    sign_in.begin(EMAIL, PASSWORD, address=HERE)


def test_an_attempt_that_has_to_wait_takes_no_place(sign_in: SignIn, bulkhead: Bulkhead) -> None:
    fail(sign_in, 5)

    with (
        bulkhead.turn("192.0.2.8"),
        bulkhead.turn("192.0.2.9"),
        pytest.raises(TooManyAttemptsError),
    ):
        sign_in.begin(EMAIL, PASSWORD, address=HERE)


def test_what_is_old_is_purged_at_most_once_a_minute(
    sign_in: SignIn, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge is a transaction that writes. It is one, however many attempts there are."""
    purged: list[Kind[Any]] = []
    monkeypatch.setattr(
        MemoryRecordChanges, "remove_older", lambda _, kind, *__, **___: purged.append(kind)
    )
    for _ in range(180):
        fail(sign_in, 1)
        clock.advance(seconds=1)

    assert purged == [SESSIONS, ATTEMPTS, ATTEMPTS, ATTEMPTS] * 3
