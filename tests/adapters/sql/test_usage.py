"""What only admission in SQL can run into."""

from datetime import datetime

import pytest

from evref.adapters.outbound.sql import SqlDatabase
from evref.domain.access.permission import Permission
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import NOON, a_key, an_audit_entry
from evref.testing.stores import Stores, keep_institutions, keep_key
from tests.adapters.sql.databases import stop_rows

TODAY = NOON.date()


def test_a_request_that_is_never_counted_is_not_admitted(
    stores: Stores, database: SqlDatabase
) -> None:
    """Where storage goes on counting nothing for a key that is live, it is out of reach."""
    keep_institutions(stores, "i1")
    digest = keep_key(stores, a_key())
    with database.transaction() as connection:
        stop_rows(connection, "daily_usage", "new.day IS NOT NULL", silently=True)

    with pytest.raises(StorageUnavailableError):
        stores.admission.admit(digest, Permission.READ, NOON)

    assert stores.usage_reports.history("k1", TODAY, TODAY) == ()


def test_an_instant_without_a_time_zone_is_not_kept(stores: Stores) -> None:
    """It would come back as another instant."""
    keep_institutions(stores, "i1")
    naive = datetime(2026, 3, 1, 12, 0)  # noqa: DTZ001 - what the test is about

    with pytest.raises(StorageUnavailableError) as caught:
        stores.keys.add(a_key(created_at=naive), an_audit_entry())

    assert "time zone" in caught.value.reason
    assert stores.keys.list() == ()
