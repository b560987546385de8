"""Tests of the connection pool, of timeouts, and of connections in forked processes."""

import os
from contextlib import closing

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts import INSTITUTIONS
from evref.ports.deadline import one_request
from evref.testing.builders import NOON, a_key
from evref.testing.filling import keep_institutions, keep_key


def test_a_call_fails_while_all_connections_are_in_use(storage: SqlStorage, url: str) -> None:
    """The call succeeds as soon as a connection is free. On SQLite, admission has its own."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    with closing(SqlDatabase(url, pool_size=2, timeout_seconds=60)) as few:
        assert SqlStorage(few).admission.admit(digest, NOON).admitted == 1
        with few.connect(), few.connect(), pytest.raises(StorageUnavailableError):
            SqlStorage(few).records.find(INSTITUTIONS)

        assert [institution.id for institution in SqlStorage(few).records.find(INSTITUTIONS)] == [
            "i1"
        ]


def test_no_statement_takes_longer_than_the_timeout_and_a_request_waits_only_once(
    storage: SqlStorage, database: SqlDatabase, url: str
) -> None:
    """After the first failure its other calls, even those that need no lock, fail at once."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    storage.admission.admit(digest, NOON)
    with (
        closing(SqlDatabase(url, timeout_seconds=2.5)) as us,
        database.transaction() as connection,
        one_request(),
    ):
        connection.execute(text("UPDATE daily_usage SET refused = 1"))
        with pytest.raises(StorageUnavailableError, match=r"reached") as first:
            SqlStorage(us).admission.admit(digest, NOON)
        with pytest.raises(StorageUnavailableError) as second:
            SqlStorage(us).records.find(INSTITUTIONS)

    assert "long enough" not in first.value.reason
    assert "long enough" in second.value.reason
    assert storage.admission.admit(digest, NOON).admitted == 2


def test_a_service_is_not_ready_while_no_request_can_be_admitted(
    storage: SqlStorage, database: SqlDatabase, url: str
) -> None:
    """Only the counts are locked; on SQLite, that is the whole file."""
    is_sqlite = url.startswith("sqlite")
    with closing(SqlDatabase(url, timeout_seconds=2.5)) as us:
        SqlStorage(us).ping()
        with database.transaction() as connection:
            if not is_sqlite:
                connection.execute(text("LOCK TABLE daily_usage IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(StorageUnavailableError):
                SqlStorage(us).ping()
        SqlStorage(us).ping()


def test_a_forked_process_counts_on_connections_of_its_own(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """The parent closes its connections before it forks, as the server does."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key(limit=10))
    storage.admission.admit(digest, NOON)
    database.close()

    child = os.fork()
    if child == 0:
        answer = 0
        try:
            answer = storage.admission.admit(digest, NOON).admitted
        finally:
            # The child must not run the tests that follow, not even after an error.
            os._exit(answer)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 2
    assert storage.admission.admit(digest, NOON).admitted == 3
    SqlStorage(database).ping()
