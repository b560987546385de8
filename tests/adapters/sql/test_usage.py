"""What only admission in SQL can run into."""

from datetime import datetime

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.access.key import Permission
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import NOON, a_key
from evref.testing.filling import keep_institutions, keep_key
from tests.adapters.sql.databases import stop_rows

TODAY = NOON.date()


def test_a_request_that_is_never_counted_is_not_admitted(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """Where storage goes on counting nothing for a key that is live, it is out of reach."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    with database.transaction() as connection:
        stop_rows(connection, "daily_usage", "new.day IS NOT NULL", silently=True)

    with pytest.raises(StorageUnavailableError):
        storage.admission.admit(digest, Permission.READ, NOON)

    assert storage.usage.history("k1", TODAY, TODAY) == ()


def test_an_instant_without_a_time_zone_is_not_kept(storage: SqlStorage) -> None:
    """It would come back as another instant."""
    keep_institutions(storage, "i1")
    naive = datetime(2026, 3, 1, 12, 0)  # noqa: DTZ001 - what the test is about

    with pytest.raises(StorageUnavailableError) as caught:
        keep_key(storage, a_key(created_at=naive))

    assert "time zone" in caught.value.reason
    assert storage.keys.list() == ()
