"""A new database, and the stores in it, for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.adapters.outbound.sql import SqlDatabase
from tests.adapters.sql.databases import NEW_DATABASES, stores_in
from tests.contracts.stores import Stores


@pytest.fixture(params=NEW_DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return NEW_DATABASES[request.param](tmp_path)


@pytest.fixture
def database(url: str) -> Iterator[SqlDatabase]:
    database = SqlDatabase(url)
    yield database
    database.close()


@pytest.fixture
def stores(database: SqlDatabase) -> Stores:
    stores = stores_in(database)
    stores.storage.prepare()
    return stores
