"""A new database, and the stores in it, for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from tests.adapters.sql.databases import KINDS, stores_in
from tests.contracts.stores import Stores
from tests.servers import PostgresqlServer


@pytest.fixture(scope="session")
def prepared(postgresql: PostgresqlServer) -> str:
    """The name of a database with all tables: to copy it takes less than to migrate again."""
    name = postgresql.new_database()
    database = SqlDatabase(postgresql.url(name))
    SqlStorage(database).prepare()
    database.close()
    return name


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a new database; empty, unless the test wants the stores in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    if "stores" in request.fixturenames:
        return server.url(server.new_database(request.getfixturevalue("prepared")))
    return server.url(server.new_database())


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
