"""Fixtures: a new database of each kind for each test, and the storage in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from tests.databases import PreparedDatabases
from tests.servers import PostgresqlServer

KINDS = ("sqlite", "postgresql")
"""The kinds of database on which the storage is tested."""


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a new database, which is empty unless the test uses `storage`."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    if "storage" in request.fixturenames:
        databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
        return databases.new()
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.url(server.new_database())


@pytest.fixture
def new_url(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Return the URL of a second new database of the same kind."""
    if url.startswith("sqlite"):
        return f"sqlite:///{tmp_path}/new.db"
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.url(server.new_database())


@pytest.fixture
def database(url: str) -> Iterator[SqlDatabase]:
    # The default timeout is too short for a busy machine, and no test needs it.
    database = SqlDatabase(url, timeout_seconds=60)
    yield database
    database.close()


@pytest.fixture
def storage(database: SqlDatabase) -> SqlStorage:
    storage = SqlStorage(database)
    storage.prepare()
    return storage


def stop_rows(connection: Connection, table: str, condition: str, *, silently: bool) -> None:
    """Make the table reject each new row for which the condition is true.

    An insert fails with the error of a full disk or, if `silently`, succeeds without a row.
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
