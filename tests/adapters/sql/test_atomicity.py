"""A change and its audit entry: both or neither, also when the audit log is what fails."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase
from evref.domain.errors import StorageUnavailableError
from evref.domain.principal import Role
from evref.ports.catalogue.store import PUBLICATIONS_KEPT
from evref.testing.builders import (
    a_catalogue,
    a_key,
    a_member,
    an_audit_entry,
    an_entry,
    an_institution,
    an_invitation,
)
from evref.testing.stores import (
    Stores,
    keep_catalogue,
    keep_institutions,
    keep_key,
    keep_members,
    rotate_key,
)
from tests.adapters.sql.databases import stop_rows

CHANGES: dict[str, Callable[[Stores], object]] = {
    "institutions.add": lambda stores: stores.institutions.add(
        an_institution("i2", name="i2"), an_audit_entry()
    ),
    "teams.change": lambda stores: stores.teams.change(
        "i1",
        lambda team: (
            team.with_member(a_member("m2", email="b@example.org"))
            .with_role("m1", Role.VIEWER)
            .with_invitation(an_invitation()),
            [an_audit_entry()],
        ),
    ),
    "teams.change, removing": lambda stores: stores.teams.change(
        "i1", lambda team: (replace(team, members=()), [an_audit_entry()])
    ),
    "members.set_password": lambda stores: stores.members.set_password(
        "m1", "other", an_audit_entry()
    ),
    "keys.add": lambda stores: stores.keys.add(a_key("k2"), an_audit_entry()),
    "keys.change": lambda stores: stores.keys.change(
        "k1", lambda key: (key.changed(name="other"), an_audit_entry())
    ),
    "keys.change to a new secret": lambda stores: rotate_key(
        stores, "k1", "new", timedelta(hours=1)
    ),
}


def kept(stores: Stores) -> tuple[object, ...]:
    """What the stores hold of all that is changed."""
    return (
        stores.institutions.list(),
        stores.members.list(),
        stores.teams.invitations("i1"),
        stores.keys.list(),
    )


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_whose_audit_entry_cannot_be_written_is_not_made(
    stores: Stores, database: SqlDatabase, change: Callable[[Stores], object]
) -> None:
    """Everything is as it was before."""
    keep_institutions(stores, "i1")
    keep_key(stores, a_key())
    keep_members(stores, a_member())
    before = kept(stores)
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE audit_entries RENAME TO out_of_reach"))

    with pytest.raises(StorageUnavailableError):
        change(stores)

    assert kept(stores) == before


@pytest.mark.parametrize(
    ("table", "condition"),
    [
        ("catalogue_documents", "true"),
        ("catalogue_contents", "true"),
        ("catalogue_history", "true"),
    ],
)
def test_a_catalogue_that_cannot_be_written_whole_leaves_the_one_before(
    stores: Stores, database: SqlDatabase, table: str, condition: str
) -> None:
    """Version, history and entries."""
    before = a_catalogue(an_entry("asthma"))
    keep_catalogue(stores.catalogue, before)
    history = stores.catalogue.history()
    with database.transaction() as connection:
        stop_rows(connection, table, condition, silently=False)

    with pytest.raises(StorageUnavailableError):
        keep_catalogue(
            stores.catalogue, a_catalogue(an_entry("asthma", name="New"), an_entry("migraine"))
        )

    loaded = stores.catalogue.load()
    assert loaded is not None
    assert loaded.entries == before.entries
    assert stores.catalogue.version() == before.version
    assert stores.catalogue.history() == history


def count(database: SqlDatabase, table: str) -> int:
    with database.connect() as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0


def test_what_no_publication_refers_to_is_removed(stores: Stores, database: SqlDatabase) -> None:
    """The database does not grow with each publication, and what they share is kept once."""
    for number in range(PUBLICATIONS_KEPT * 2):
        keep_catalogue(
            stores.catalogue, a_catalogue(an_entry("same"), an_entry("other", name=f"{number}"))
        )

    assert count(database, "catalogue_history") == PUBLICATIONS_KEPT
    assert count(database, "catalogue_contents") == 2 * PUBLICATIONS_KEPT
    assert count(database, "catalogue_documents") == 1 + PUBLICATIONS_KEPT


def test_what_a_publisher_left_who_was_killed_is_removed(
    stores: Stores, database: SqlDatabase
) -> None:
    """By the next publisher."""
    with database.transaction() as connection:
        connection.execute(
            text("INSERT INTO catalogue_documents VALUES ('left', 2, '2026-03-01', '')")
        )

    keep_catalogue(stores.catalogue, a_catalogue())

    assert count(database, "catalogue_documents") == 1


def test_what_another_publisher_removed_meanwhile_is_written_again(
    stores: Stores, database: SqlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing refers to new documents until their catalogue is the served one."""
    catalogue = a_catalogue(an_entry("asthma"), an_entry("migraine"))

    def pause(_seconds: float) -> None:
        with database.transaction() as connection:
            connection.execute(text("DELETE FROM catalogue_documents"))

    monkeypatch.setattr(time, "sleep", pause)
    keep_catalogue(stores.catalogue, catalogue)

    loaded = stores.catalogue.load()
    assert loaded is not None
    assert loaded.entries == catalogue.entries


DAMAGES = [
    "UPDATE catalogue_documents SET content = 'no JSON'",
    "UPDATE catalogue_documents SET format = 9",
    "DELETE FROM catalogue_history",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_catalogue_is_out_of_reach_until_it_is_published_again(
    stores: Stores, database: SqlDatabase, damage: str
) -> None:
    """So a worker that has a catalogue continues to serve it."""
    catalogue = a_catalogue()
    keep_catalogue(stores.catalogue, catalogue)
    with database.transaction() as connection:
        connection.execute(text(damage))

    with pytest.raises(StorageUnavailableError) as caught:
        stores.catalogue.load()

    assert "damaged" in caught.value.reason
    keep_catalogue(stores.catalogue, catalogue)
    loaded = stores.catalogue.load()
    assert loaded is not None
    assert loaded.entries == catalogue.entries
