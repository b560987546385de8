"""Tests of two use cases at the same time: the later one waits for the earlier one."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from datetime import datetime
from threading import Event

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Bulkhead
from evref.application.accounts.people import People
from evref.domain.access.caps import KeyCaps
from evref.domain.errors import EvrefError, InvalidValueError
from evref.domain.principal import Principal, Role
from evref.ports.storage import Changes, DelegatingStorage, Storage
from evref.testing.builders import OPERATOR, a_member
from evref.testing.filling import keep_institutions, keep_members
from tests.fakes import FakeClock, QuickPasswordHasher, SeededRandomness, SingleGuess
from tests.servers import PATIENCE

TO_SEE_IT_WAIT = 0.5
"""The seconds in which an act that does not have to wait finishes."""

Act = Callable[[Storage], object]


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


def set_sign_in(storage: Storage) -> object:
    manage = ManageInstitutions(storage=storage, clock=FakeClock(), randomness=SeededRandomness(1))
    return manage.set_sign_in(OPERATOR, "i1", domains=["example.org"])


def create_elsewhere(storage: Storage) -> object:
    people = People(
        storage=storage,
        bulkhead=Bulkhead(),
        passwords=QuickPasswordHasher(),
        guesser=SingleGuess(),
        clock=FakeClock(),
        randomness=SeededRandomness(2),
    )
    return people.create(OPERATOR, "i2", "new@example.org", password=None, role=Role.READER)


def set_cap(**caps: int) -> Act:
    def act(storage: Storage) -> object:
        keys = ManageKeys(storage=storage, clock=FakeClock(), randomness=SeededRandomness(3))
        return keys.set_caps(OPERATOR, "i1", **caps)

    return act


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
    keep_members(storage, a_member("m2", institution_id="i2", email="head@example.com"))


def test_no_member_of_a_domain_is_created_elsewhere_while_its_sign_in_is_set(
    storage: SqlStorage, url: str
) -> None:
    error = in_turn(storage, url, set_sign_in, create_elsewhere)

    assert isinstance(error, InvalidValueError)
    assert [member.id for member in storage.accounts.members_of("i2")] == ["m2"]


def test_a_sign_in_that_is_set_while_a_member_is_created_elsewhere_finds_the_member(
    storage: SqlStorage, url: str
) -> None:
    """The command therefore lists all members of the domain after it has set the sign-in."""
    emails: list[str] = []

    def set_and_list(of_command: Storage) -> None:
        set_sign_in(of_command)
        emails.extend(member.email for member in of_command.accounts.members())

    assert in_turn(storage, url, create_elsewhere, set_and_list) is None
    assert emails == ["head@example.com", "new@example.org"]


def test_the_first_caps_of_an_institution_that_are_set_at_once_are_both_kept(
    storage: SqlStorage, url: str
) -> None:
    error = in_turn(storage, url, set_cap(most_keys=1), set_cap(total_daily_limit=2))

    assert error is None
    assert storage.keys.caps("i1") == KeyCaps(most_keys=1, total_daily_limit=2)


def test_a_key_that_is_created_while_the_first_caps_are_set_is_within_them(
    storage: SqlStorage, url: str
) -> None:
    def create(elsewhere: Storage) -> object:
        keys = ManageKeys(storage=elsewhere, clock=FakeClock(), randomness=SeededRandomness(4))
        return keys.create(OPERATOR, "i1", name="Ward app")

    error = in_turn(storage, url, set_cap(most_keys=0), create)

    assert isinstance(error, InvalidValueError)
    assert storage.keys.of_institution("i1") == ()
