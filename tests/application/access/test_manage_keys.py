"""Tests of creating, changing, rotating and revoking keys, and of their audit entries."""

from datetime import date, timedelta

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.access import MemoryUsageReports
from evref.adapters.outbound.memory.state import MemoryState
from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys, NewKey
from evref.domain.access.key import Permission
from evref.domain.accounts.institution import Institution
from evref.domain.audit import Action, AuditEntry
from evref.domain.errors import (
    InvalidValueError,
    KeyAlreadyRotatedError,
    StorageUnavailableError,
)
from evref.domain.principal import InstitutionMember, Role
from evref.ports.storage import AuditLog
from evref.testing.builders import NOON, OPERATOR
from tests.fakes import FakeClock, SeededRandomness

TODAY = NOON.date()
HOUR = timedelta(hours=1)


@pytest.fixture
def made(keys: ManageKeys, hospital: Institution) -> NewKey:
    return keys.create(OPERATOR, hospital.id, name="Ward app")


def key_entries(audit: AuditLog, hospital: Institution) -> list[AuditEntry]:
    """Return the audit entries about keys, oldest first."""
    return [entry for entry in reversed(audit.entries(hospital.id)) if entry.key_id is not None]


def test_every_field_of_an_expired_key_can_be_changed(
    keys: ManageKeys, clock: FakeClock, hospital: Institution, gate: Gate
) -> None:
    """An unchanged past expiry is accepted, and a later expiry makes the key valid again."""
    made = keys.create(OPERATOR, hospital.id, name="Ward app", expires_on=TODAY)
    clock.advance(days=2)

    changed = keys.change(OPERATOR, made.key.id, name="Study", expires_on=TODAY)
    assert (changed.name, changed.expires_on) == ("Study", TODAY)
    with pytest.raises(InvalidValueError):
        keys.change(OPERATOR, made.key.id, expires_on=TODAY + timedelta(days=1))
    keys.change(OPERATOR, made.key.id, expires_on=TODAY + timedelta(days=2))
    assert gate.admit(made.token).limit == 1000


def test_a_form_that_is_sent_twice_rotates_once(
    keys: ManageKeys, made: NewKey, gate: Gate, state: MemoryState
) -> None:
    seen = made.key.newest.id
    rotated = keys.rotate(OPERATOR, made.key.id, keep_old_for=HOUR, current=seen)
    audited = len(state.audit)

    for current in (seen, "", "another"):
        with pytest.raises(KeyAlreadyRotatedError, match=made.key.id):
            keys.rotate(OPERATOR, made.key.id, keep_old_for=timedelta(0), current=current)

    assert state.keys == {made.key.id: rotated.key}
    assert len(state.audit) == audited
    assert gate.admit(made.token).remaining == 999
    again = keys.rotate(OPERATOR, made.key.id, keep_old_for=HOUR, current=rotated.key.newest.id)
    assert state.keys == {made.key.id: again.key}


def test_rotations_are_audited_with_the_end_of_every_old_secret(
    keys: ManageKeys, made: NewKey, clock: FakeClock, audit: AuditLog, hospital: Institution
) -> None:
    tokens = [made.token]
    for keep_old_for in (24 * HOUR, HOUR, timedelta(0)):
        rotated = keys.rotate(OPERATOR, made.key.id, keep_old_for=keep_old_for)
        tokens.append(rotated.token)
        clock.advance(minutes=30)
    first, second, third, fourth = (f"…{token.last_four}" for token in tokens)
    entries = key_entries(audit, hospital)[1:]

    assert {entry.action for entry in entries} == {Action.KEY_ROTATED}
    assert [entry.detail for entry in entries] == [
        f"secret from {first} to {second}, {first} ends at 2026-03-02 12:00:00 UTC",
        f"secret from {second} to {third}"
        + "".join(f", {old} ends at 2026-03-01 13:30:00 UTC" for old in (first, second)),
        f"secret from {third} to {fourth}, no older secret is valid",
    ]


def test_the_history_has_the_number_of_days_asked_for_and_ends_today(
    keys: ManageKeys, made: NewKey, gate: Gate, clock: FakeClock
) -> None:
    for _ in range(4):
        gate.admit(made.token)
        clock.advance(days=10)
    clock.advance(days=-10)
    today = TODAY + timedelta(days=30)
    ten_days = [today - timedelta(days=20), today - timedelta(days=10), today]

    assert [day.day for day in keys.history(OPERATOR, made.key.id)] == ten_days
    assert [day.day for day in keys.history(OPERATOR, made.key.id, days=31)] == [TODAY, *ten_days]
    assert [day.day for day in keys.history(OPERATOR, made.key.id, days=1)] == [today]


def test_every_change_is_audited_in_words(
    keys: ManageKeys, clock: FakeClock, audit: AuditLog, hospital: Institution
) -> None:
    key_id = keys.create(
        OPERATOR, hospital.id, name="Ward app", expires_on=date(2026, 12, 31)
    ).key.id
    clock.advance(hours=1)
    member = InstitutionMember("m1", "a@b.org", hospital.id, Role.ADMIN)
    keys.change(member, key_id, name="Study", permission=Permission.NONE, daily_limit=50)
    keys.change(member, key_id, daily_limit=60)
    keys.change(member, key_id, daily_limit=60)
    keys.change(member, key_id, expires_on=None)
    keys.change(member, key_id, expires_on=date(2027, 1, 31))
    keys.revoke(OPERATOR, key_id)
    entries = key_entries(audit, hospital)

    assert [(entry.actor, entry.action, entry.detail) for entry in entries] == [
        (
            "operator",
            Action.KEY_CREATED,
            "name 'Ward app', permission read, limit 1000, expires after 2026-12-31",
        ),
        (
            "a@b.org",
            Action.KEY_CHANGED,
            "name from 'Ward app' to 'Study', permission from read to none, limit from 1000 to 50",
        ),
        ("a@b.org", Action.KEY_CHANGED, "limit from 50 to 60"),
        ("a@b.org", Action.KEY_CHANGED, "expiry from 2026-12-31 to never"),
        ("a@b.org", Action.KEY_CHANGED, "expiry from never to 2027-01-31"),
        ("operator", Action.KEY_REVOKED, "name 'Study'"),
    ]
    assert [entry.at - NOON for entry in entries] == [timedelta(0)] + [timedelta(hours=1)] * 5
    assert {(entry.key_id, entry.institution_id) for entry in entries} == {(key_id, hospital.id)}


class PrunedUsage(MemoryUsageReports):
    """Notes each day on which it is pruned; pruning always fails."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self.pruned_on: list[date] = []

    def prune(self, today: date) -> None:
        self.pruned_on.append(today)
        raise StorageUnavailableError("busy")


def test_changes_of_keys_prune_counts_once_a_day_even_if_pruning_fails(
    storage: MemoryStorage, clock: FakeClock, hospital: Institution
) -> None:
    usage = storage.usage = PrunedUsage(storage.state)
    keys = ManageKeys(storage=storage, clock=clock, randomness=SeededRandomness(1))
    for _ in range(2):
        for _ in range(2):
            made = keys.create(OPERATOR, hospital.id, name="Ward app")
            keys.change(OPERATOR, made.key.id, daily_limit=1)
            keys.rotate(OPERATOR, made.key.id, keep_old_for=HOUR)
            keys.revoke(OPERATOR, made.key.id)
        clock.advance(days=1)

    assert usage.pruned_on == [TODAY, TODAY + timedelta(days=1)]
