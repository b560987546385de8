"""Tests that a change takes effect as a whole or not at all, even if a write fails."""

import zlib
from collections.abc import Callable

import pytest
from sqlalchemy import update

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.tables import catalogue_history
from evref.domain.audit import Action
from evref.domain.errors import StorageUnavailableError
from evref.ports.storage import Changes
from evref.testing.builders import NOON, OPERATOR, a_catalogue, a_key
from evref.testing.catalogue import assert_serves
from evref.testing.filling import keep_catalogue, keep_institutions, keep_key
from evref.testing.storage import CHANGES, fill, records
from tests.adapters.sql.conftest import stop_rows


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_whose_audit_entry_cannot_be_written_is_not_made(
    storage: SqlStorage, database: SqlDatabase, change: Callable[[Changes], object]
) -> None:
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


DAMAGES = {
    "is not compressed": "00",
    "is no JSON": zlib.compress(b"{").hex(),
    "is no entry": zlib.compress(b"{}").hex(),
    "is not of the version": zlib.compress(b"").hex(),
    "is not kept": None,
}


@pytest.mark.parametrize("content", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_catalogue_is_unavailable_until_it_is_published_again(
    storage: SqlStorage, database: SqlDatabase, content: str | None
) -> None:
    """A worker that holds a catalogue continues to serve it, as in every outage."""
    catalogue = a_catalogue()
    keep_catalogue(storage, catalogue)
    with database.transaction() as connection:
        stored = None if content is None else bytes.fromhex(content)
        connection.execute(update(catalogue_history).values(catalogue=stored))

    with pytest.raises(StorageUnavailableError) as caught:
        storage.catalogue.load()

    assert "damaged" in caught.value.reason
    keep_catalogue(storage, catalogue)
    assert_serves(storage, catalogue)


def test_a_request_that_is_never_counted_is_not_admitted(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """Storage that counts nothing for a live key is unavailable."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    with database.transaction() as connection:
        stop_rows(connection, "daily_usage", "new.day IS NOT NULL", silently=True)

    with pytest.raises(StorageUnavailableError):
        storage.admission.admit(digest, NOON)

    assert storage.usage.history("k1", NOON.date(), NOON.date()) == ()
