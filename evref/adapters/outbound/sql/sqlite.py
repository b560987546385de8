"""SQLite: a file with one writer at a time."""

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from urllib.parse import unquote, urlsplit

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    PoolProxiedConnection,
    QueuePool,
    create_engine,
    event,
)
from sqlalchemy.exc import ArgumentError, SAWarning

from evref.adapters.outbound.sql.backend import (
    POOL_TIMEOUT_SECONDS,
    PREPARATION_LOCK_TIMEOUT_SECONDS,
    Backend,
)
from evref.domain.errors import Fault, InvalidValueError

# The first version with RETURNING.
_OLDEST_VERSION = (3, 35)
_TOO_OLD = (
    f"names SQLite, which must be 3.35 or newer, but this Python has {sqlite3.sqlite_version}: use "
    "a newer Python or PostgreSQL"
)

# After these errors a connection may keep failing even when the file is usable again.
_ERRORS_THAT_INVALIDATE_POOL = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}


class SqliteBackend(Backend):
    """Transactions take the write lock at the beginning. Connections cannot share a database in
    memory, so it is refused.
    """

    def __init__(self, url: URL, pool_size: int, timeout_seconds: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST_VERSION:
            raise InvalidValueError([Fault("database_url", _TOO_OLD)])
        if not url.database or ":memory:" in url.database or url.query.get("mode") == "memory":
            raise ArgumentError("an in-memory database")
        # SQLite retries after 1, 2, 5, 10 … milliseconds if the file is locked, while threads that
        # start later may get the lock first. A queue in the process is fairer.
        self.write_lock = Lock()
        try:
            with warnings.catch_warnings(action="error", category=SAWarning):
                self.engine = _engine(url, pool_size, timeout_seconds)
                self._file = _file(self.engine)
        except (SAWarning, ValueError) as error:
            raise ArgumentError("an option that SQLite does not have") from error
        self.transactions = self.engine.execution_options()
        event.listen(self.transactions, "begin", _begin_immediate)

    def is_missing(self) -> bool:
        try:
            return self._file.parent.is_dir() and not self._file.exists()
        except OSError:
            # Connecting will report the error.
            return False

    def limit(self, connection: PoolProxiedConnection, ends_at: float) -> None:
        # To a tenth of a second, so that it rarely changes.
        timeout = max(0, round((ends_at - monotonic()) * 10)) * 100
        if connection.info.get("busy_timeout") != timeout:
            # By the driver, because SQLAlchemy would begin the transaction first.
            connection.cursor().execute(f"PRAGMA busy_timeout = {timeout}")
            connection.info["busy_timeout"] = timeout

    @contextmanager
    def preparation(self) -> Iterator[Connection]:
        if self.is_missing() and "mode" not in self.engine.url.query:
            # SQLite gives the files beside it the same mode. If this fails, so does connecting.
            with suppress(OSError):
                self._file.touch(mode=0o600)
        # The transaction excludes all other writers, so preparations wait where it begins.
        with self.transactions.connect() as connection:
            self.limit(connection.connection, monotonic() + PREPARATION_LOCK_TIMEOUT_SECONDS)
            with connection.begin():
                yield connection

    def invalidates_pool(self, error: BaseException) -> bool:
        # The low byte of SQLite's extended error code is the primary code.
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _ERRORS_THAT_INVALIDATE_POOL


def _engine(url: URL, pool_size: int, timeout_seconds: float) -> Engine:
    engine = create_engine(
        url,
        # The driver begins no transactions; this module begins them explicitly.
        isolation_level="AUTOCOMMIT",
        # Named parameters, as in PostgreSQL's driver.
        paramstyle="named",
        poolclass=QueuePool,
        # Every transaction is ended explicitly, so there is nothing to roll back.
        pool_reset_on_return=None,
        # One more, which admission keeps.
        pool_size=pool_size + 1,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        # Hashes of passwords and tokens must not be logged.
        hide_parameters=True,
        # The timeout is set below, after the journal mode, which must not wait for a lock.
        connect_args={"timeout": 0},
    )
    event.listen(engine, "connect", lambda connection, _: _set_up(connection, timeout_seconds))
    return engine


def _file(engine: Engine) -> Path:
    (name,), options = engine.dialect.create_connect_args(engine.url)
    return Path(unquote(urlsplit(name).path) if options.get("uri") else name)


def _set_up(connection: sqlite3.Connection, timeout_seconds: float) -> None:
    try:
        # The file stores the mode, so this has an effect only once. If it fails because the file
        # is read-only or in use, everything still works, only more slowly.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        # From here on, statements wait for locks of other processes; see `SqliteBackend.limit`.
        connection.execute(f"PRAGMA busy_timeout = {round(timeout_seconds * 1000)}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        # The pool does not own the connection yet and would not close it.
        connection.close()
        raise


def _begin_immediate(connection: Connection) -> None:
    # A transaction that begins with a read would fail on its first write if another transaction
    # has written in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
