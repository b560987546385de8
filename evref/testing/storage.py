"""The contract of the port `Storage`: its unit of work, its preparation, and all of its parts."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from evref.domain.access.caps import KeyCaps
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind
from evref.domain.errors import EvrefError, NotFoundError
from evref.domain.identifiers import SharedSecret
from evref.domain.principal import InstitutionMember, Role
from evref.ports.accounts import INSTITUTIONS, KINDS, MEMBERS, SECRETS
from evref.ports.storage import Changes, Storage
from evref.testing.access.admission import AdmissionContract
from evref.testing.access.keys import KeysContract
from evref.testing.access.usage import UsageReportsContract
from evref.testing.accounts import RecordsContract
from evref.testing.audit import AuditLogContract
from evref.testing.builders import (
    NOON,
    OPERATOR,
    a_catalogue,
    a_key,
    a_map,
    a_member,
    a_publication,
    an_entry,
    an_institution,
)
from evref.testing.catalogue import CatalogueContract
from evref.testing.filling import (
    at_once,
    keep,
    keep_catalogue,
    keep_institutions,
    keep_key,
)

CHANGES: dict[str, Callable[[Changes], object]] = {
    "record added": lambda changes: changes.records.add(INSTITUTIONS, an_institution("i2")),
    "record replaced": lambda changes: changes.records.replace(MEMBERS, a_member(role=Role.VIEWER)),
    "record removed": lambda changes: changes.records.remove(SECRETS, "s1"),
    "caps set": lambda changes: changes.keys.set_caps("i1", KeyCaps(most_keys=1)),
    "key added": lambda changes: changes.keys.add(a_key("k2")),
    "key replaced": lambda changes: changes.keys.replace(
        changes.keys.get("k1").changed(name="other")
    ),
    "catalogue published": lambda changes: changes.catalogue.publish(
        a_catalogue(an_entry("other")),
        a_publication(a_catalogue(an_entry("other"))),
        replacing=a_catalogue().version,
    ),
    "map replaced": lambda changes: changes.catalogue.replace_map(a_map("M17")),
}
"""Every change; they can be made in one unit of work, of a storage that `fill` has filled."""


def fill(storage: Storage) -> None:
    """Store a record of each kind that is changed."""
    keep_institutions(storage, "i1")
    keep(storage, MEMBERS, a_member())
    keep(storage, SECRETS, SharedSecret("s1", "secret"))
    keep_key(storage, a_key())
    keep_catalogue(storage, a_catalogue())


def records(storage: Storage) -> tuple[object, ...]:
    """Return all records that a unit of work can change, and the audit log."""
    return (
        *(storage.records.find(kind) for kind in KINDS),
        storage.keys.list(),
        storage.keys.caps("i1"),
        storage.catalogue.history(),
        storage.catalogue.loaded_map(),
        storage.audit.entries(None),
        storage.audit.entries("i1"),
    )


class UnitOfWorkContract:
    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_a_change_takes_effect_at_the_end_with_its_audit_entry(
        self, storage: Storage, change: Callable[[Changes], object]
    ) -> None:
        """The entry names the principal and the instant of the unit of work."""
        fill(storage)
        before = records(storage)
        principal = InstitutionMember("m1", "ward@example.org", "i1", Role.ADMIN)
        instant = NOON + timedelta(microseconds=1)
        subject = Subject(SubjectKind.KEY, "k1")

        with storage.changes(principal, instant) as changes:
            change(changes)
            changes.record(Action.KEY_CHANGED, "changed", institution_id="i1", subject=subject)

        after = records(storage)
        assert after[:-2] != before[:-2]
        assert storage.audit.entries("i1") == (
            AuditEntry(instant, "i1", "ward@example.org", Action.KEY_CHANGED, subject, "changed"),
        )

    @pytest.mark.parametrize(
        "failure",
        [
            lambda changes: changes.keys.add(a_key("k1")),
            lambda changes: changes.records.add(INSTITUTIONS, an_institution("i3", name="i1")),
            lambda changes: changes.records.lock(MEMBERS, "unknown"),
            lambda _: (_ for _ in ()).throw(NotFoundError("cause", "")),
        ],
        ids=["a key's id is taken", "a name is taken", "an unknown member", "in the block"],
    )
    def test_all_changes_are_undone_if_anything_fails(
        self, storage: Storage, failure: Callable[[Changes], object]
    ) -> None:
        """No audit entry is written, and the error propagates."""
        fill(storage)
        before = records(storage)

        def change_all() -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                for change in CHANGES.values():
                    change(changes)
                changes.record(Action.KEY_CHANGED, "changed", institution_id="i1")
                failure(changes)

        with pytest.raises(EvrefError):
            change_all()
        assert records(storage) == before

    def test_several_entries_are_written_in_order(self, storage: Storage) -> None:
        """This holds even if nothing else is changed."""
        with storage.changes(OPERATOR, NOON) as changes:
            for detail in ("first", "second"):
                changes.record(Action.CATALOGUE_PUBLISHED, detail)

        assert [entry.detail for entry in storage.audit.entries(None)] == ["second", "first"]

    def test_a_prepared_storage_is_ready_and_preparing_again_keeps_all_data(
        self, storage: Storage
    ) -> None:
        """This also holds for concurrent preparations; asking for a write writes nothing."""
        storage.verify()
        storage.ping()
        assert storage.records.find(INSTITUTIONS) == ()
        fill(storage)
        before = records(storage)

        at_once(4, lambda _: storage.prepare())

        assert records(storage) == before

    def test_connections_are_opened_again_on_demand(self, storage: Storage) -> None:
        """Closing loses no data, and may be repeated."""
        keep_institutions(storage, "i1")

        storage.close()
        storage.close()

        assert storage.records.get(INSTITUTIONS, "i1").name == "i1"
        storage.ping()


class StorageContract:
    """Inherit from it, and provide the fixture `storage`: a prepared, empty storage.

    If changes of keys take up to a second to have effect, its `changes` must wait for that.
    """

    TestUnitOfWork = UnitOfWorkContract
    TestCatalogue = CatalogueContract
    TestKeys = KeysContract
    TestAdmission = AdmissionContract
    TestUsageReports = UsageReportsContract
    TestRecords = RecordsContract
    TestAuditLog = AuditLogContract
