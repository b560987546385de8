"""Tests of two use cases at the same time: the later one waits for the earlier one."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from threading import Event

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Attempts, Bulkhead
from evref.application.accounts.people import People
from evref.domain.accounts.session import MOST_SESSIONS, Session, SessionToken
from evref.domain.accounts.slowdown import PER_ACCOUNT, Failures
from evref.domain.errors import (
    EvrefError,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
    TooManyAttemptsError,
)
from evref.domain.principal import Principal, Role
from evref.ports.accounts import ATTEMPTS, MEMBERS, SESSIONS
from evref.ports.storage import Changes, DelegatingStorage, Storage
from evref.testing.builders import OPERATOR, a_member
from evref.testing.contract import succeeds
from evref.testing.filling import at_once, keep, keep_institutions
from tests.fakes import FakeClock, SeededRandomness
from tests.servers import PATIENCE
from tests.use_cases import Fakes

TO_SEE_IT_WAIT = 0.5
"""The seconds in which an act that does not have to wait finishes."""

Act = Callable[[Storage], object]

PASSWORD = "a long one"


class PausedStorage(DelegatingStorage):
    """Pauses at the end of each unit of work, before it is committed."""

    def __init__(self, rest: Storage) -> None:
        super().__init__(rest)
        self.has_paused, self.may_go_on = Event(), Event()

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with super().changes(principal, instant) as changes:
            yield changes
            self.has_paused.set()
            assert self.may_go_on.wait(PATIENCE)


def people_of(storage: Storage, seed: int) -> People:
    return Fakes(randomness=SeededRandomness(seed)).people(storage)


def set_sign_in(storage: Storage) -> object:
    manage = ManageInstitutions(storage=storage, clock=FakeClock(), randomness=SeededRandomness(1))
    return manage.set_sign_in(OPERATOR, "i1", domains=["example.org"])


def create_elsewhere(storage: Storage) -> object:
    return people_of(storage, 2).create(
        OPERATOR, "i2", "new@example.org", password=None, role=Role.READER
    )


def in_turn(storage: SqlStorage, url: str, first: Act, second: Act) -> EvrefError | None:
    """Begin `second` just before `first` commits; return the error of `second`.

    The act `second` must wait for the commit, and then sees what `first` has changed.
    """
    paused = PausedStorage(storage)
    with (
        closing(SqlDatabase(url, timeout_seconds=PATIENCE)) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        earlier = threads.submit(first, paused)
        assert paused.has_paused.wait(PATIENCE)
        later = threads.submit(second, SqlStorage(other))
        done_early = wait([later], TO_SEE_IT_WAIT).done
        paused.may_go_on.set()
        earlier.result(PATIENCE)
        error = later.exception(PATIENCE)

    assert not done_early
    assert error is None or isinstance(error, EvrefError)
    return error


@pytest.fixture(autouse=True)
def _institutions(storage: SqlStorage) -> None:
    keep_institutions(storage, "i1", "i2")
    keep(storage, MEMBERS, a_member("m2", institution_id="i2", email="head@example.com"))


def test_no_member_of_a_domain_is_created_elsewhere_while_its_sign_in_is_set(
    storage: SqlStorage, url: str
) -> None:
    error = in_turn(storage, url, set_sign_in, create_elsewhere)

    assert isinstance(error, InvalidValueError)
    assert [member.id for member in storage.records.find(MEMBERS, institution_id="i2")] == ["m2"]


def test_a_sign_in_that_is_set_while_a_member_is_created_elsewhere_finds_the_member(
    storage: SqlStorage, url: str
) -> None:
    """The command therefore lists all members of the domain after it has set the sign-in."""
    emails: list[str] = []

    def set_and_list(of_command: Storage) -> None:
        set_sign_in(of_command)
        emails.extend(member.email for member in of_command.records.find(MEMBERS))

    assert in_turn(storage, url, create_elsewhere, set_and_list) is None
    assert sorted(emails) == ["head@example.com", "new@example.org"]


def test_one_admin_remains_of_two_who_are_removed_and_demoted_by_many_at_once(
    storage: SqlStorage,
) -> None:
    keep(storage, MEMBERS, *(a_member(f"a{n}", email=f"{n}@example.org") for n in range(2)))

    def end(number: int) -> None:
        people, member_id = people_of(storage, number), f"a{number % 2}"
        with suppress(LastAdminError, NotFoundError):
            if number < 4:
                people.set_role(OPERATOR, member_id, Role.VIEWER)
            else:
                people.remove(OPERATOR, member_id)

    at_once(8, end)

    assert len(storage.records.find(MEMBERS, institution_id="i1", role=Role.ADMIN)) == 1


def test_an_invitation_is_accepted_by_one_of_many_at_once(storage: SqlStorage) -> None:
    invited, token = people_of(storage, 0).invite(
        OPERATOR, "i2", email="new@example.com", role=Role.READER
    )

    def accept(number: int) -> bool:
        people, address = people_of(storage, number + 1), f"192.0.2.{number}"
        given = {"password": PASSWORD, "repeated": PASSWORD, "address": address}
        return succeeds(lambda: people.accept(token.text, **given), NotFoundError)

    assert sum(at_once(6, accept)) == 1
    assert [member.email for member in storage.records.find(MEMBERS)].count(invited.email) == 1


def test_a_password_and_a_role_that_are_changed_at_once_are_both_kept(
    storage: SqlStorage, url: str
) -> None:
    member = a_member("m3", institution_id="i2", email="other@example.com")
    keep(storage, MEMBERS, member)

    def reset(elsewhere: Storage) -> object:
        people_of(elsewhere, 1).reset_password(OPERATOR, "m3", password=PASSWORD)
        return None

    def demote(elsewhere: Storage) -> object:
        return people_of(elsewhere, 2).set_role(OPERATOR, "m3", Role.VIEWER)

    assert in_turn(storage, url, reset, demote) is None
    after = storage.records.get(MEMBERS, "m3")
    assert after.role is Role.VIEWER
    assert after.password_hash != member.password_hash


@pytest.mark.parametrize("begun", [True, False])
def test_no_attempt_is_lost_of_many_at_once(storage: SqlStorage, *, begun: bool) -> None:
    """So no more passwords than are free are checked, also under a name that is new."""
    account = PER_ACCOUNT.name("ward@example.org")
    if begun:
        keep(storage, ATTEMPTS, Failures(account, 1, FakeClock().now()))

    def fail(number: int) -> bool:
        attempts = Attempts(storage, Bulkhead(), FakeClock())

        def attempt() -> None:
            with attempts.counted("ward@example.org", f"192.0.2.{number}", None):
                """The password is wrong."""

        return succeeds(attempt, TooManyAttemptsError)

    assert sum(at_once(8, fail)) == PER_ACCOUNT.free - begun
    assert storage.records.get(ATTEMPTS, account).failures == PER_ACCOUNT.free


def test_a_member_who_signs_in_many_times_at_once_has_only_the_most_sessions(
    storage: SqlStorage,
) -> None:
    member = storage.records.get(MEMBERS, "m2")
    for number in range(MOST_SESSIONS):
        keep(storage, SESSIONS, Session.begin(member, SessionToken.make(number), FakeClock().now()))

    def start(number: int) -> object:
        sign_in = Fakes(randomness=SeededRandomness(100 + number)).sign_in(storage)
        return sign_in.start(member)

    at_once(6, start)

    assert len(storage.records.find(SESSIONS)) == MOST_SESSIONS
