"""The contract of the port `AuditLog`."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from evref.domain.audit import (
    SIGN_INS,
    Action,
    AuditEntry,
    AuditFilter,
    Subject,
    SubjectKind,
)
from evref.ports.storage import Storage
from evref.testing.builders import NOON, OPERATOR, a_member
from evref.testing.filling import at_once


def record(
    storage: Storage, detail: str, *, institution_id: str | None = "i1", hours: float = 0
) -> None:
    with storage.changes(OPERATOR, NOON + timedelta(hours=hours)) as changes:
        changes.record(Action.KEY_CHANGED, detail, institution_id=institution_id)


def a_refusal(
    actor: str = "ward@example.org",
    *,
    institution_id: str | None = "i1",
    hours: float = 0,
    times: int = 1,
) -> AuditEntry:
    """Return an entry of sign-ins that were refused in an hour, this long after noon."""
    hour = NOON + timedelta(hours=hours)
    action = Action.SIGN_IN_REFUSED
    return AuditEntry(hour, institution_id, actor, action, None, "in an hour", times)


def details(storage: Storage, institution_id: str | None = "i1") -> list[str]:
    return [entry.detail for entry in storage.audit.entries(institution_id)]


class AuditLogContract:
    def test_an_institution_without_entries_has_an_empty_log(self, storage: Storage) -> None:
        """An unknown institution has an empty log too."""
        assert storage.audit.entries("unknown") == ()

    def test_an_entry_comes_back_as_it_was_written(self, storage: Storage) -> None:
        """This holds for every action, with and without a subject."""
        detail = "name from 'Ä' to 'B', limit from 1 to 2\n"
        instant = NOON + timedelta(microseconds=1)
        subjects = (None, *(Subject(kind, "f" * 64) for kind in SubjectKind))
        written = tuple(
            AuditEntry(instant, "i1", OPERATOR.name, action, subject, detail)
            for action, subject in product(Action, subjects)
        )

        with storage.changes(OPERATOR, instant) as changes:
            for entry in written:
                changes.record(entry.action, detail, institution_id="i1", subject=entry.subject)

        assert storage.audit.entries("i1") == written[::-1]

    def test_the_entry_that_was_written_last_comes_first(self, storage: Storage) -> None:
        """A change notes its time before it waits for others, so times may be out of order."""
        for detail, hours in (("first", 1), ("second", 0), ("third", 0)):
            record(storage, detail, hours=hours)

        assert details(storage) == ["third", "second", "first"]

    @pytest.mark.parametrize(("skip", "most"), [(0, 2), (2, 2), (4, 2), (5, 2), (9, 2), (1, 0)])
    def test_a_part_is_what_the_whole_has_there(
        self, storage: Storage, skip: int, most: int
    ) -> None:
        """This also holds for entries of the same instant."""
        for number in range(5):
            record(storage, f"{number}")

        whole = storage.audit.entries("i1")

        assert storage.audit.entries("i1", skip=skip, most=most) == whole[skip : skip + most]
        assert storage.audit.entries("i1", skip=skip) == whole[skip:]
        assert len(whole) == 5

    def test_a_filter_finds_its_entries(self, storage: Storage) -> None:
        """By actor, key and action, each by itself and together."""
        member = a_member().principal
        for who, action, kind, subject_id in (
            (OPERATOR, Action.KEY_CREATED, SubjectKind.KEY, "k1"),
            (OPERATOR, Action.KEY_CHANGED, SubjectKind.KEY, "k2"),
            (member, Action.KEY_CHANGED, SubjectKind.KEY, "k1"),
            (member, Action.MEMBER_JOINED, SubjectKind.MEMBER, "k1"),
        ):
            with storage.changes(who, NOON) as changes:
                subject = Subject(kind, subject_id)
                changes.record(action, action.value, institution_id="i1", subject=subject)

        for only, number in (
            (AuditFilter(), 4),
            (AuditFilter(actor=member.name), 2),
            (AuditFilter(key_id="k1"), 2),
            (AuditFilter(actions=frozenset({Action.KEY_CHANGED})), 2),
            (AuditFilter(actions=frozenset({Action.KEY_CREATED, Action.MEMBER_JOINED})), 2),
            (AuditFilter(member.name, "k1", frozenset({Action.KEY_CHANGED})), 1),
            (AuditFilter(actor="nobody"), 0),
            (AuditFilter(actions=frozenset()), 0),
        ):
            entries = storage.audit.entries("i1", only)
            assert len(entries) == number
            assert all(only.admits(entry) for entry in entries)

    def test_an_institution_and_the_whole_service_have_separate_logs(
        self, storage: Storage
    ) -> None:
        """None stands for the whole service."""
        for institution_id in ("i1", "i2", None):
            record(storage, f"of {institution_id}", institution_id=institution_id)

        assert details(storage) == ["of i1"]
        assert details(storage, None) == ["of None"]

    def test_what_is_gathered_has_one_entry_with_its_times(self, storage: Storage) -> None:
        """Each institution, actor, action and time has one, in the place of the first."""
        others = [
            a_refusal(hours=1),
            a_refusal("desk@example.org"),
            replace(a_refusal(), action=Action.SIGNED_IN),
        ]
        for entry in (a_refusal(), *others, a_refusal(institution_id="i2")):
            storage.audit.gather([entry])
        storage.audit.gather([a_refusal(), a_refusal()])
        with storage.changes(OPERATOR, NOON) as changes:
            changes.entries.extend([a_refusal(institution_id=None), a_refusal(times=4)])

        assert storage.audit.entries("i1") == (*reversed(others), a_refusal(times=7))
        assert storage.audit.entries("i2") == (a_refusal(institution_id="i2"),)
        assert storage.audit.entries(None) == (a_refusal(institution_id=None),)

    def test_a_change_at_the_time_of_what_is_gathered_is_another_entry(
        self, storage: Storage
    ) -> None:
        """Both have their own details, and the change has no times."""
        storage.audit.gather([a_refusal("operator")])
        record(storage, "changed")

        assert [entry.times for entry in storage.audit.entries("i1")] == [None, 1]

    def test_no_time_is_lost_of_many_that_are_gathered_at_once(self, storage: Storage) -> None:
        """A flood adds no entries."""
        at_once(8, lambda _: storage.audit.gather([a_refusal()]))

        assert storage.audit.entries("i1") == (a_refusal(times=8),)

    def test_old_entries_of_some_actions_are_removed(self, storage: Storage) -> None:
        """An entry of exactly the given time stays; a removed one can be gathered again."""
        for hours in (-1, 0):
            storage.audit.gather([a_refusal(hours=hours, times=3)])
            record(storage, f"changed at {hours}", hours=hours)

        storage.audit.remove_older(SIGN_INS, NOON)
        storage.audit.gather([a_refusal(hours=-1)])

        assert storage.audit.entries("i1", AuditFilter(actions=SIGN_INS)) == (
            a_refusal(hours=-1),
            a_refusal(times=3),
        )
        assert len(storage.audit.entries("i1")) == 4
