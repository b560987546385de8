"""The differences between the databases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, PoolProxiedConnection

# How long a request waits for a pooled connection if all are in use.
POOL_TIMEOUT_SECONDS = 0.4

# How long a preparation waits for another one.
PREPARATION_LOCK_TIMEOUT_SECONDS = 60


class Backend(ABC):
    """A kind of database: how to connect to it, and what its errors mean.

    A connection of `engine` reads, or executes one statement. On a connection of `transactions`,
    which shares the pool, statements take effect together. If the database allows one writer at a
    time, threads of this process queue for the `write_lock` before they write.
    """

    engine: Engine
    transactions: Engine
    write_lock: Lock | None = None

    def is_missing(self) -> bool:
        """Return whether there is no database yet, and connecting would create one."""
        return False

    @abstractmethod
    def limit(self, connection: PoolProxiedConnection, ends_at: float) -> None:
        """Let the connection wait until `ends_at`, a time of `time.monotonic`, for its next use."""

    def execute(
        self, connection: PoolProxiedConnection, statement: str, values: Mapping[str, object]
    ) -> Sequence[tuple[Any, ...]]:
        """Execute a statement of the driver as a separate transaction, and return its rows."""
        cursor = connection.cursor()
        cursor.execute(statement, values)
        # Fetch all rows, because SQLite commits at the end of the result.
        return cursor.fetchall()

    @abstractmethod
    def preparation(self) -> AbstractContextManager[Connection]:
        """Yield a transaction that excludes other preparations and has a longer timeout.

        If the service cannot use this database, raise `StorageNotReadyError`.
        """

    @abstractmethod
    def invalidates_pool(self, error: BaseException) -> bool:
        """Return whether the driver's error probably affects all pooled connections."""

    def message(self, error: BaseException) -> str:
        """Return the message of the driver's error, without the statement and its values."""
        return " ".join(str(error).split())
