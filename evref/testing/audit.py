"""The contract of the port `AuditLog`."""

from datetime import timedelta

import pytest

from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import CatalogueReplacedError
from evref.ports.audit import AuditLog
from evref.testing.builders import (
    NOON,
    a_catalogue,
    a_publication,
    a_publication_entry,
    an_audit_entry,
    an_entry,
    an_institution,
)
from evref.testing.contract import Contract
from evref.testing.stores import Stores


class AuditLogContract(Contract):
    port = AuditLog

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.audit) is self.adapter

    def test_an_institution_without_entries_has_an_empty_log(self, stores: Stores) -> None:
        """An unknown institution has an empty log too."""
        assert stores.audit.entries("unknown") == ()

    @pytest.mark.parametrize("action", Action)
    def test_an_entry_comes_back_as_it_was_written(self, stores: Stores, action: Action) -> None:
        """This holds for every action, with and without a key."""
        entry = an_audit_entry(
            action=action,
            key_id="k1" if action.name.startswith("KEY") else None,
            detail="name from 'Ä' to 'B', limit from 1 to 2\n",
            at=NOON + timedelta(microseconds=1),
        )

        stores.institutions.add(an_institution(), entry)

        assert stores.audit.entries("i1") == (entry,)

    def test_the_latest_entry_comes_first(self, stores: Stores) -> None:
        """Among entries of the same instant, the newest comes first."""
        details = ["second", "first, written before", "first, written after", "third"]
        hours = [1, 0, 0, 2]
        for number, (detail, hour) in enumerate(zip(details, hours, strict=True)):
            stores.institutions.add(
                an_institution(f"i{number}", name=detail),
                an_audit_entry(detail=detail, at=NOON + timedelta(hours=hour)),
            )

        assert [entry.detail for entry in stores.audit.entries("i1")] == [
            "third",
            "second",
            "first, written after",
            "first, written before",
        ]

    @pytest.mark.parametrize(("skip", "most"), [(0, 2), (2, 2), (4, 2), (5, 2), (9, 2), (1, 0)])
    def test_a_part_is_what_the_whole_has_there(self, stores: Stores, skip: int, most: int) -> None:
        """This also holds for entries of the same instant; the count is that of the whole log."""
        for number in range(5):
            stores.institutions.add(
                an_institution(f"i{number}", name=f"{number}"), an_audit_entry(detail=f"{number}")
            )

        whole = stores.audit.entries("i1")

        assert stores.audit.entries("i1", skip=skip, most=most) == whole[skip : skip + most]
        assert stores.audit.entries("i1", skip=skip) == whole[skip:]
        assert stores.audit.count("i1") == len(whole) == 5
        assert stores.audit.count("unknown") == 0

    def test_an_institution_reads_only_its_own_entries(self, stores: Stores) -> None:
        """Entries of another institution are not in the result."""
        stores.institutions.add(an_institution("i1", name="A"), an_audit_entry(detail="own"))
        stores.institutions.add(
            an_institution("i2", name="B"), an_audit_entry(institution_id="i2", detail="other")
        )

        assert [entry.detail for entry in stores.audit.entries("i1")] == ["own"]

    @pytest.mark.parametrize("kind", SubjectKind)
    def test_an_entry_comes_back_with_its_subject(self, stores: Stores, kind: SubjectKind) -> None:
        """This holds for every kind, with the longest possible id."""
        entry = an_audit_entry(subject=Subject(kind, "f" * 64))

        stores.institutions.add(an_institution(), entry)

        assert stores.audit.entries("i1") == (entry,)

    def test_what_concerns_the_whole_service_is_in_no_institutions_log(
        self, stores: Stores
    ) -> None:
        """These entries have a separate log."""
        entry = an_audit_entry(institution_id=None, detail="of all")
        stores.institutions.add(an_institution("i1", name="A"), entry)
        stores.institutions.add(an_institution("i2", name="B"), an_audit_entry(detail="own"))

        assert stores.audit.entries(None) == (entry,)
        assert stores.audit.count(None) == 1
        assert [entry.detail for entry in stores.audit.entries("i1")] == ["own"]

    def test_each_publication_is_in_the_log_of_the_whole_service(self, stores: Stores) -> None:
        """A refused publication is not."""
        first, second = a_catalogue(an_entry("asthma")), a_catalogue(an_entry("migraine"))
        entries = [
            a_publication_entry(first),
            a_publication_entry(second, at=NOON + timedelta(days=1)),
        ]
        stores.catalogue.publish(first, a_publication(first), entries[0], replacing=None)

        with pytest.raises(CatalogueReplacedError):
            stores.catalogue.publish(second, a_publication(second), entries[1], replacing=None)
        assert stores.audit.entries(None) == (entries[0],)

        stores.catalogue.publish(second, a_publication(second), entries[1], replacing=first.version)
        assert stores.audit.entries(None) == (entries[1], entries[0])
