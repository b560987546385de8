"""A change and its audit entry: both or neither, also when the audit log is what fails."""

import time
from collections.abc import Callable

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.audit import Action
from evref.domain.errors import StorageUnavailableError
from evref.ports.catalogue.published import CATALOGUES_KEPT
from evref.ports.storage import Changes
from evref.testing.builders import NOON, OPERATOR, a_catalogue, an_entry
from evref.testing.catalogue.published import assert_serves
from evref.testing.filling import keep_catalogue
from evref.testing.storage import CHANGES, fill, records
from tests.adapters.sql.databases import stop_rows


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_whose_audit_entry_cannot_be_written_is_not_made(
    storage: SqlStorage, database: SqlDatabase, change: Callable[[Changes], object]
) -> None:
    """Everything is as it was before."""
    fill(storage)
    before = records(storage)
    with database.transaction() as connection:
        stop_rows(connection, "audit_entries", "true", silently=False)

    def act() -> None:
        with storage.changes(OPERATOR, NOON) as changes:
            change(changes)
            changes.record(Action.KEY_CHANGED, "changed")

    with pytest.raises(StorageUnavailableError):
        act()
    assert records(storage) == before


@pytest.mark.parametrize(
    "table", ["catalogue_documents", "catalogue_contents", "catalogue_history"]
)
def test_a_catalogue_that_cannot_be_written_whole_leaves_the_one_before(
    storage: SqlStorage, database: SqlDatabase, table: str
) -> None:
    """Version, history and entries."""
    before = a_catalogue(an_entry("asthma"))
    keep_catalogue(storage, before)
    history = storage.catalogue.history()
    with database.transaction() as connection:
        stop_rows(connection, table, "true", silently=False)

    with pytest.raises(StorageUnavailableError):
        keep_catalogue(storage, a_catalogue(an_entry("asthma", name="New"), an_entry("migraine")))

    assert_serves(storage, before)
    assert storage.catalogue.history() == history


def count(database: SqlDatabase, table: str) -> int:
    with database.connect() as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {table}")) or 0


def test_what_no_publication_refers_to_is_removed(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """The database does not grow with each publication, and what they share is kept once."""
    for number in range(CATALOGUES_KEPT * 2):
        keep_catalogue(storage, a_catalogue(an_entry("same"), an_entry("other", name=f"{number}")))

    assert count(database, "catalogue_contents") == 2 * CATALOGUES_KEPT
    # The next publication removes those that the last one no longer refers to.
    assert count(database, "catalogue_documents") == 1 + CATALOGUES_KEPT + 1


def test_what_a_publisher_left_who_was_killed_is_removed(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """By the next publisher."""
    with database.transaction() as connection:
        connection.execute(
            text("INSERT INTO catalogue_documents VALUES ('left', 2, '2026-03-01', '')")
        )

    keep_catalogue(storage, a_catalogue())

    assert count(database, "catalogue_documents") == 1


def test_what_another_publisher_removed_meanwhile_is_written_again(
    storage: SqlStorage, database: SqlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing refers to new documents until their catalogue is the served one."""
    catalogue = a_catalogue(an_entry("asthma"), an_entry("migraine"))

    def pause(_seconds: float) -> None:
        with database.transaction() as connection:
            connection.execute(text("DELETE FROM catalogue_documents"))

    monkeypatch.setattr(time, "sleep", pause)
    keep_catalogue(storage, catalogue)

    assert_serves(storage, catalogue)


DAMAGES = [
    "UPDATE catalogue_documents SET content = 'no JSON'",
    "UPDATE catalogue_documents SET format = 1",
    "UPDATE catalogue_documents SET format = 9",
    "DELETE FROM catalogue_history",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_catalogue_is_out_of_reach_until_it_is_published_again(
    storage: SqlStorage, database: SqlDatabase, damage: str
) -> None:
    """So a worker that has a catalogue continues to serve it."""
    catalogue = a_catalogue()
    keep_catalogue(storage, catalogue)
    with database.transaction() as connection:
        connection.execute(text(damage))

    with pytest.raises(StorageUnavailableError) as caught:
        storage.catalogue.load()

    assert "damaged" in caught.value.reason
    keep_catalogue(storage, catalogue)
    assert_serves(storage, catalogue)
