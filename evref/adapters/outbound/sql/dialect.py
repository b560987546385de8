"""What differs from one database to the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from threading import Lock

from sqlalchemy import Connection, Engine

# How long a request waits for a connection of the pool, where others have them all.
POOL_TIMEOUT_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections there are at most, and how long is waited on one."""

    pool_size: int
    timeout_seconds: float


class Dialect(ABC):
    """A way to connect to one kind of database, and what its errors mean.

    On a connection of `engine` each statement is a transaction of its own; on one of
    `transactions`, which shares its pool, statements take effect together. Neither connects
    before it is asked to.

    `line` is where threads of this process wait for each other before they write, on a database
    that one writes to at a time.
    """

    engine: Engine
    transactions: Engine
    line: Lock | None = None

    @abstractmethod
    def is_missing(self) -> bool:
        """Whether there is no database where connecting would make one."""

    @abstractmethod
    def lock_for_preparation(self, connection: Connection) -> None:
        """Let nobody else prepare the database until this transaction ends; take time for it."""

    @abstractmethod
    def is_taken(self, error: BaseException) -> bool:
        """Whether the driver's error says that something unique is there already."""

    @abstractmethod
    def is_pool_suspect(self, error: BaseException) -> bool:
        """Whether, after this error of the driver, other connections would most likely fail too."""

    @abstractmethod
    def message(self, error: BaseException) -> str:
        """What the driver's error says, without the statement and the values in it."""
