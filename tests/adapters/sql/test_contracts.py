"""Contract tests of the storage in SQL, on each kind of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.testing import StorageContract
from tests.adapters.sql.conftest import KINDS
from tests.databases import PreparedDatabases


@pytest.fixture(params=KINDS)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStorage]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/evref.db"
    else:
        databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
        url = databases.empty(0)
    # The default timeout is too short for a busy machine, and no test needs it.
    storage = SqlStorage(SqlDatabase(url, timeout_seconds=60))
    storage.prepare()
    yield storage
    storage.close()


class TestSqlStorage(StorageContract):
    pass
