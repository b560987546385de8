"""SQLite: a file, which one connection at a time writes to."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import ArgumentError

from evref.adapters.outbound.sql.dialect import POOL_TIMEOUT_SECONDS, Dialect, Limits

# After these a connection may go on failing when the file is well again, so it is replaced.
_CONNECTION_IS_SUSPECT = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}


class SqliteDialect(Dialect):
    """Transactions begin by writing, so that no other writing comes between begin and end.

    Raises:
        ArgumentError: when the URL names another driver, or a database in memory, of which each
            connection would have its own.

    """

    def __init__(self, url: URL, limits: Limits) -> None:
        if url.drivername not in {"sqlite", "sqlite+pysqlite"}:
            raise ArgumentError("another driver")
        if not url.database or ":memory:" in url.database or url.query.get("mode") == "memory":
            raise ArgumentError("a database in memory")
        # Whoever finds the file in use, SQLite has try again after 1, 2, 5, 10 … milliseconds,
        # while others that come later are lucky.
        self.line = Lock()
        self.engine = _engine(url, limits)
        self._file = _file(self.engine)
        self.transactions = self.engine.execution_options()
        event.listen(self.transactions, "begin", _begin_immediate)

    def is_missing(self) -> bool:
        try:
            return self._file.parent.is_dir() and not self._file.exists()
        except OSError:
            # What is wrong there, connecting tells.
            return False

    def lock_for_preparation(self, connection: Connection) -> None:
        """The transaction itself lets nobody else write from its beginning."""

    def is_taken(self, error: BaseException) -> bool:
        return getattr(error, "sqlite_errorcode", 0) in {
            sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
            sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        }

    def is_pool_suspect(self, error: BaseException) -> bool:
        # The low byte of SQLite's extended error codes is the code that they extend.
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CONNECTION_IS_SUSPECT

    def message(self, error: BaseException) -> str:
        return str(error)


def _engine(url: URL, limits: Limits) -> Engine:
    engine = create_engine(
        url,
        # The driver begins no transaction by itself; where one is wanted, we begin it.
        isolation_level="AUTOCOMMIT",
        # Parameters by name, as PostgreSQL's driver takes them too.
        paramstyle="named",
        poolclass=QueuePool,
        # Whoever begins a transaction ends it; there is nothing to roll back.
        pool_reset_on_return=None,
        pool_size=limits.pool_size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        # Digests and password hashes have no place in a log.
        hide_parameters=True,
        # Set below, once the journal mode is: that is tried, and not waited for.
        connect_args={"timeout": 0},
    )
    busy_timeout = round(limits.timeout_seconds * 1000)
    event.listen(engine, "connect", lambda connection, _record: _set_up(connection, busy_timeout))
    return engine


def _file(engine: Engine) -> Path:
    (name,), options = engine.dialect.create_connect_args(engine.url)
    return Path(unquote(urlsplit(name).path) if options.get("uri") else name)


def _set_up(connection: sqlite3.Connection, busy_timeout: int) -> None:
    try:
        # The mode stays with the file, so this has an effect but once. Where it cannot be had,
        # because the file is read-only or in use, all works the same, only slower.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        # From here on a lock that another process holds is waited for: also these look into it.
        connection.execute(f"PRAGMA busy_timeout = {busy_timeout}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        # The pool has not taken it over yet, and would leave it open.
        connection.close()
        raise


def _begin_immediate(connection: Connection) -> None:
    # A transaction that began by reading could find, when it comes to write, that another has
    # written since, and would have to start anew.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
