"""Tests of what can happen only with a database server, such as a cut connection."""

from collections.abc import Callable
from contextlib import closing

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.errors import (
    InvalidValueError,
    StorageNotReadyError,
    StorageUnavailableError,
)
from evref.ports.accounts import INSTITUTIONS
from evref.testing.builders import NOON, a_key
from evref.testing.filling import at_once, keep_institutions, keep_key
from tests.servers import OTHER_DEFAULTS, PostgresqlServer, database_name, free_port

pytestmark = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def test_the_server_prepares_the_statement_that_every_request_executes(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """The statement is prepared after some executions on a connection."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    for _ in range(10):
        storage.admission.admit(digest, NOON)

    with database.connect() as connection:
        prepared = connection.scalars(text("SELECT statement FROM pg_prepared_statements")).all()

    assert any(statement.strip().startswith("INSERT INTO daily_usage") for statement in prepared)


def test_a_read_only_server_is_unavailable_although_it_can_be_read(
    storage: SqlStorage, url: str
) -> None:
    """A standby server rejects each write with the same error."""
    keep_institutions(storage, "i1")
    there = f"{url}&options=-c%20default_transaction_read_only%3Don"
    standby = SqlDatabase(there, timeout_seconds=60)
    on_standby = SqlStorage(standby)

    assert len(on_standby.records.find(INSTITUTIONS)) == 1
    on_standby.verify()
    for act in (
        on_standby.ping,
        lambda: keep_key(on_standby, a_key()),
    ):
        with pytest.raises(StorageUnavailableError) as caught:
            act()
        assert "read-only" in caught.value.reason
    standby.close()


def test_the_error_for_a_missing_server_has_no_password(url: str) -> None:
    """The password may be in any part of the URL."""
    port = free_port()
    for there in (
        f"postgresql://someone:secret@127.0.0.1:{port}/evref",
        f"postgresql+psycopg://someone@127.0.0.1:{port}/evref?password=secret&sslpassword=secret",
    ):
        database = SqlDatabase(there)
        with pytest.raises(StorageUnavailableError) as caught:
            SqlStorage(database).ping()

        assert f"@127.0.0.1:{port}/evref" in caught.value.reason
        assert "Connection refused" in caught.value.reason
        assert "\n" not in caught.value.reason
        assert "secret" not in f"{caught.value.reason} {caught.value.__cause__}"
        database.close()


def test_a_role_with_other_defaults_changes_nothing(
    storage: SqlStorage, url: str, postgresql: PostgresqlServer
) -> None:
    """Each connection sets what the adapter relies on."""
    role = database_name(url)
    postgresql.new_role(role, *OTHER_DEFAULTS)
    there = url.replace("postgres@", f"{role}@")

    with closing(SqlDatabase(there, timeout_seconds=60)) as database:
        theirs = SqlStorage(database)
        theirs.prepare()
        keep_institutions(theirs, "i1")
        key = a_key(name="Ward ≥ 3")
        digest = keep_key(theirs, key)

        assert theirs.admission.admit(digest, NOON).admitted == 1
        assert theirs.keys.list() == storage.keys.list() == (key,)
        assert theirs.usage.history(key.id, NOON.date(), NOON.date())[0].admitted == 1
        with database.transaction() as connection:
            assert connection.scalar(text("SHOW transaction_isolation")) == "read committed"
            assert connection.scalar(text("SHOW statement_timeout")) == "48s"
    postgresql.execute(f"DROP ROLE {role}")


def test_a_database_of_another_encoding_is_refused(url: str, postgresql: PostgresqlServer) -> None:
    """It could not store every character, or would return bytes."""
    other = f"{database_name(url)}_ascii"
    postgresql.execute(f"CREATE DATABASE {other} ENCODING 'SQL_ASCII' TEMPLATE template0")
    with (
        closing(SqlDatabase(postgresql.url(other), timeout_seconds=60)) as database,
        pytest.raises(StorageNotReadyError, match=r"^The database has .* SQL_ASCII"),
    ):
        SqlStorage(database).prepare()


def test_a_connection_that_was_cut_is_replaced_before_it_is_used(
    storage: SqlStorage, url: str, postgresql: PostgresqlServer
) -> None:
    keep_institutions(storage, "i1")
    read: Callable[[int], object] = lambda _: storage.records.find(INSTITUTIONS)  # noqa: E731
    at_once(8, read)

    postgresql.cut_connections(database_name(url))

    assert len(at_once(8, read)) == 8


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql+psycopg2://h/evref",
        "postgresql+asyncpg://h/evref",
        "postgresql://h:port/evref",
        "postgresql://h/evref?sslmod=require",
    ],
)
def test_a_url_with_another_driver_or_option_is_an_invalid_value(url: str, wrong: str) -> None:
    with pytest.raises(InvalidValueError, match=r"postgresql://HOST/DATABASE"):
        SqlDatabase(wrong)
