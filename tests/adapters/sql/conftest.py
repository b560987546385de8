"""A new database of each kind, and the storage in it, for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from tests.databases import PreparedDatabases
from tests.servers import PostgresqlServer

KINDS = ("sqlite", "postgresql")
"""The databases that the storage keep to their contracts on."""


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a new database; empty, unless the test wants the storage in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    if "storage" in request.fixturenames:
        databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
        return databases.new()
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.url(server.new_database())


@pytest.fixture
def new_url(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Of a further new database of the same kind, beside the one of the test."""
    if url.startswith("sqlite"):
        return f"sqlite:///{tmp_path}/new.db"
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.url(server.new_database())


@pytest.fixture
def database(url: str) -> Iterator[SqlDatabase]:
    # No deadline is tested with it, and a busy machine would miss the usual one.
    database = SqlDatabase(url, timeout_seconds=60)
    yield database
    database.close()


@pytest.fixture
def storage(database: SqlDatabase) -> SqlStorage:
    storage = SqlStorage(database)
    storage.prepare()
    return storage


def stop_rows(connection: Connection, table: str, condition: str, *, silently: bool) -> None:
    """From now on the table takes no new row of which the condition is true.

    An insert fails with the error of a full disk; or it succeeds silently without a row.
    """
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        outcome = "IGNORE" if silently else "ABORT, 'disk full'"
        action = f"BEGIN SELECT RAISE({outcome}); END"
    else:
        outcome = "RETURN NULL" if silently else "RAISE 'disk full'"
        connection.execute(
            text(
                "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql"
                f" AS $$ BEGIN {outcome}; END $$"
            )
        )
        action = "EXECUTE FUNCTION stop()"
    per_row = "" if sqlite else "FOR EACH ROW"
    connection.execute(
        text(f"CREATE TRIGGER stop BEFORE INSERT ON {table} {per_row} WHEN ({condition}) {action}")
    )
