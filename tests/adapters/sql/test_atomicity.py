"""A change and its audit entry: both or neither, also when the audit log is what fails."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase
from evref.domain.errors import StorageUnavailableError
from evref.ports.catalogue import Publication
from evref.testing.builders import (
    NOON,
    a_catalogue,
    a_key,
    a_member,
    an_audit_entry,
    an_entry,
    an_institution,
)
from evref.testing.stores import Stores, keep_institutions, keep_key
from tests.adapters.sql.databases import stop_rows

CHANGES: dict[str, Callable[[Stores], object]] = {
    "institutions.add": lambda stores: stores.institutions.add(
        an_institution("i2", name="i2"), an_audit_entry()
    ),
    "members.add": lambda stores: stores.members.add(
        a_member("m2", email="b@example.org"), an_audit_entry()
    ),
    "members.set_password": lambda stores: stores.members.set_password(
        "m1", "other", an_audit_entry()
    ),
    "keys.add": lambda stores: stores.keys.add(a_key("k2"), an_audit_entry()),
    "keys.change": lambda stores: stores.keys.change(
        "k1", lambda key: (key.changed(name="other"), an_audit_entry())
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_whose_audit_entry_cannot_be_written_is_not_made(
    stores: Stores, database: SqlDatabase, change: Callable[[Stores], object]
) -> None:
    """Everything is as it was before."""
    keep_institutions(stores, "i1")
    keep_key(stores, a_key())
    stores.members.add(a_member(), an_audit_entry())
    before = (stores.institutions.list(), stores.members.list(), stores.keys.list())
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE audit_entries RENAME TO out_of_reach"))

    with pytest.raises(StorageUnavailableError):
        change(stores)

    assert (stores.institutions.list(), stores.members.list(), stores.keys.list()) == before


def test_a_catalogue_that_cannot_be_written_whole_leaves_the_one_before(
    stores: Stores, database: SqlDatabase
) -> None:
    """Version, time and entries."""
    before = a_catalogue(an_entry("asthma"))
    stores.catalogue.publish(Publication(before, NOON))
    with database.transaction() as connection:
        stop_rows(connection, "catalogue_entries", "new.diagnosis_id = 'migraine'", silently=False)

    with pytest.raises(StorageUnavailableError):
        stores.catalogue.publish(
            Publication(a_catalogue(an_entry("asthma", name="New"), an_entry("migraine")), NOON)
        )

    loaded = stores.catalogue.load()
    assert loaded is not None
    assert loaded.catalogue.entries == before.entries
    assert stores.catalogue.version() == before.version


def test_the_entries_of_earlier_catalogues_are_removed(
    stores: Stores, database: SqlDatabase
) -> None:
    """The database does not grow with each publication."""
    for name in ("First", "Second", "Third"):
        stores.catalogue.publish(Publication(a_catalogue(an_entry(name=name)), NOON))

    with database.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM catalogue_entries")) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE catalogue_entries SET document = 'no JSON'",
        "UPDATE catalogue_entries SET document = '{}'",
        "UPDATE catalogue_entries SET document = replace(document, 'M17', 'm17')",
    ],
)
def test_a_damaged_catalogue_is_out_of_reach(
    stores: Stores, database: SqlDatabase, statement: str
) -> None:
    """So that whoever holds one goes on serving that."""
    stores.catalogue.publish(Publication(a_catalogue(), NOON))
    with database.transaction() as connection:
        connection.execute(text(statement))

    with pytest.raises(StorageUnavailableError) as caught:
        stores.catalogue.load()

    assert "damaged" in caught.value.reason
