"""Tests that refused sign-ins are counted exactly, and that many of them cost few writes."""

from collections import Counter
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.outbound.memory.state import MemoryState
from evref.adapters.outbound.memory.storage import MemoryAuditLog
from evref.application.accounts.passwords import Bulkhead
from evref.application.accounts.people import People
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.application.accounts.sign_in import SignIn
from evref.domain.accounts.institution import Institution
from evref.domain.audit import AuditEntry
from evref.domain.errors import (
    BusyError,
    StorageUnavailableError,
    TooManyAttemptsError,
    WrongCredentialsError,
)
from evref.ports.storage import AuditLog
from evref.testing.builders import OPERATOR
from evref.testing.filling import at_once
from tests.fakes import FakeClock


class BreakableAuditLog(MemoryAuditLog):
    """Counts its writes, and fails while it is `broken`."""

    def __init__(self) -> None:
        super().__init__(MemoryState())
        self.broken = False
        self.writes = 0

    def gather(self, entries: Sequence[AuditEntry]) -> None:
        if self.broken:
            raise StorageUnavailableError("disk full")
        self.writes += 1
        super().gather(entries)


def counts(log: AuditLog, institution_ids: Collection[str | None] = ("i1", None)) -> Counter[str]:
    """Return how often each actor was refused, over all hours."""
    refused: Counter[str] = Counter()
    for institution_id in institution_ids:
        for entry in log.entries(institution_id):
            refused[entry.actor] += entry.times or 0
    return refused


_STEPS = st.one_of(
    st.sampled_from(["member@example.org", "desk@example.org", "nobody@example.org"]),
    st.floats(0.1, 2000).map(lambda seconds: round(seconds, 1)),
    st.sampled_from(["break", "repair", "write"]),
)


@given(st.lists(_STEPS, max_size=80))
def test_what_is_written_and_what_is_pending_equal_the_attempts(steps: list[str | float]) -> None:
    """The sums agree whenever the clock advances and whenever storage is unavailable."""
    log, clock = BreakableAuditLog(), FakeClock()
    refused = RefusedSignIns(log, clock)
    attempts: Counter[str] = Counter()
    for step in steps:
        match step:
            case float():
                clock.advance(seconds=step)
            case "break" | "repair":
                log.broken = step == "break"
            case "write":
                refused.write()
            case "nobody@example.org":
                refused.add(step)
                attempts["unknown"] += 1
            case email:
                refused.add(email, "i1")
                attempts[email] += 1
        assert counts(log) <= attempts
    log.broken = False
    refused.write()

    assert counts(log) == attempts


def test_a_flood_costs_at_most_20_writes_and_one_more_each_second(clock: FakeClock) -> None:
    """The first 20 refusals are written at once, and the others with the next write."""
    log = BreakableAuditLog()
    refused = RefusedSignIns(log, clock)
    for number in range(1, 21):
        refused.add("ward@example.org", "i1")
        assert counts(log) == {"ward@example.org": number}

    for _ in range(80):
        clock.advance(seconds=0.125)
        refused.add("ward@example.org", "i1")

    assert log.writes == 20 + 10
    assert counts(log) == {"ward@example.org": 100}


def test_a_batch_has_as_many_rows_for_members_as_for_unknown_addresses(clock: FakeClock) -> None:
    """The duration of a write must not reveal how many of the addresses have a member."""
    sizes = []
    for institution_ids in ([], ["i1"]):
        log = BreakableAuditLog()
        refused = RefusedSignIns(log, clock)
        log.gather = lambda entries: sizes.append(len(entries))  # type: ignore[method-assign]
        for number in range(50):
            refused.add(f"m{number}@example.org", *institution_ids)
        refused.write()

    assert sizes == [*[1] * 20, 30] * 2


def test_concurrent_refusals_are_all_counted(clock: FakeClock) -> None:
    log = BreakableAuditLog()
    refused = RefusedSignIns(log, clock)
    at_once(50, lambda _: refused.add("ward@example.org", "i1"))
    refused.write()

    assert counts(log) == {"ward@example.org": 50}


def test_a_sign_in_that_must_wait_is_counted_and_one_without_a_place_is_not(
    *, sign_in: SignIn, bulkhead: Bulkhead, people: People, hospital: Institution, audit: AuditLog
) -> None:
    """Without a place the password is not checked, so the sign-in is not a wrong guess."""
    email, password = "ward@example.org", "correct horse battery"
    people.create(OPERATOR, hospital.id, email, password=password)
    with bulkhead.turn("192.0.2.1"), pytest.raises(BusyError):
        sign_in.begin(email, password, address="192.0.2.1")
    for _ in range(5):
        with pytest.raises(WrongCredentialsError):
            sign_in.begin(email, "wrong", address="192.0.2.1")
    for _ in range(2):
        with pytest.raises(TooManyAttemptsError):
            sign_in.begin(email, password, address="192.0.2.1")

    assert counts(audit, [hospital.id])[email] == 7
