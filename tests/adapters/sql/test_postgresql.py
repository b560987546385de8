"""What only a database on a server runs into: it hangs, locks, restarts, and has passwords."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.access.key import Permission
from evref.domain.errors import InvalidValueError, StorageUnavailableError
from evref.testing.builders import NOON, a_key
from evref.testing.filling import at_once, keep_institutions, keep_key
from tests.servers import PostgresqlServer, database_name, free_port

pytestmark = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def test_what_every_request_executes_is_prepared_by_the_server(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """Once for each connection, after some executions."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    for _ in range(10):
        storage.admission.admit(digest, Permission.READ, NOON)

    with database.connect() as connection:
        prepared = connection.scalars(text("SELECT statement FROM pg_prepared_statements")).all()

    assert any(statement.strip().startswith("INSERT INTO daily_usage") for statement in prepared)


def test_a_server_that_takes_no_writes_is_out_of_reach_though_it_can_be_read(
    storage: SqlStorage, url: str
) -> None:
    """As a standby is, which says the same of each write."""
    keep_institutions(storage, "i1")
    there = f"{url}&options=-c%20default_transaction_read_only%3Don"
    standby = SqlDatabase(there, timeout_seconds=60)
    on_standby = SqlStorage(standby)

    assert len(on_standby.accounts.institutions()) == 1
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
    """Wherever in the URL it stands."""
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


def test_missing_tables(database: SqlDatabase) -> None:
    """A database that was never prepared answers nothing, and its reason quotes no statement."""
    with pytest.raises(StorageUnavailableError) as caught:
        SqlStorage(database).keys.list()

    assert caught.value.reason.endswith('relation "api_keys" does not exist')


def test_a_connection_that_was_cut_is_replaced_before_anything_is_asked_of_it(
    storage: SqlStorage, url: str, postgresql: PostgresqlServer
) -> None:
    """All connections of the pool, and none of the requests fails."""
    keep_institutions(storage, "i1")
    read: Callable[[int], object] = lambda _: storage.accounts.institutions()  # noqa: E731
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
    """Another driver, or a misspelt option: found before anything is asked for."""
    with pytest.raises(InvalidValueError, match=r"postgresql://HOST/DATABASE"):
        SqlDatabase(wrong)
