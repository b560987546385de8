"""The SQLite file: a connection for each use, so there is none to close or to share."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock

from evref.domain.errors import StorageUnavailableError

_TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, institution_id TEXT, record TEXT);
CREATE TABLE IF NOT EXISTS caps (institution_id TEXT PRIMARY KEY, record TEXT);
CREATE TABLE IF NOT EXISTS secrets (digest TEXT PRIMARY KEY, key_id TEXT);
CREATE TABLE IF NOT EXISTS counts (
    key_id TEXT, day TEXT, daily_limit INTEGER, admitted INTEGER, refused INTEGER,
    PRIMARY KEY (key_id, day)
);
"""


class Database:
    """The tables of keys and counts."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._writing = Lock()

    def prepare(self) -> None:
        """Create the tables that do not exist."""
        with self.connect() as connection:
            connection.executescript(_TABLES)

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection on which each statement is a transaction.

        Raises:
            StorageUnavailableError: If SQLite reports an error, or another writer takes too long.

        """
        try:
            with closing(
                sqlite3.connect(self._file, timeout=2, isolation_level=None)
            ) as connection:
                yield connection
        except sqlite3.Error as error:
            raise StorageUnavailableError(f"{self._file}: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that excludes other writers, and commit at the end."""
        # SQLite is not fair to threads that wait for another, so they queue here.
        with self._writing, self.connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            # After an error, closing the connection rolls back.
            connection.execute("COMMIT")
