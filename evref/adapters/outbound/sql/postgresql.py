"""PostgreSQL, through psycopg 3: a server that may hang, restart, or be replaced."""

import select
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DisconnectionError

from evref.adapters.outbound.sql.backend import (
    POOL_TIMEOUT_SECONDS,
    PREPARATION_LOCK_TIMEOUT_SECONDS,
    Backend,
    Limits,
)

# The server should time out before the client, because it can report the reason. A server that
# hangs or is unreachable cannot.
_SERVER_TIMEOUT_SHARE = 0.8

_CONNECT_TIMEOUT_SECONDS = 2  # the minimum of libpq

# A machine that dies during a transaction must not keep its row locks.
_IDLE_IN_TRANSACTION_TIMEOUT_MILLISECONDS = 10_000

# A preparation may run for a long time, after it has waited for another one.
_PREPARATION_TIMEOUT_SECONDS = 600

# An arbitrary number, which must be the same for all preparations.
_PREPARATION_LOCK = 0x65767265660001

_Result = TypeVar("_Result")


class PostgresqlBackend(Backend):
    """Transactions read committed data, and lock the rows that they change.

    Raises:
        ArgumentError: If the URL names another driver, or an option that libpq does not know.

    """

    def __init__(self, url: URL, limits: Limits) -> None:
        if url.drivername not in {"postgresql", "postgresql+psycopg"}:
            raise ArgumentError("another driver")
        self.engine = _engine(url.set(drivername="postgresql+psycopg"), limits)
        _, options = self.engine.dialect.create_connect_args(url)
        options.pop("context")
        try:
            make_conninfo(**options)
        except psycopg.Error as error:
            raise ArgumentError("an unknown option") from error
        self.transactions = self.engine.execution_options(isolation_level="READ COMMITTED")

    def is_missing(self) -> bool:
        return False

    @contextmanager
    def preparation(self) -> Iterator[Connection]:
        with self.transactions.begin() as connection:
            _lock_for_preparation(connection)
            yield connection

    def is_unique_violation(self, error: BaseException) -> bool:
        return isinstance(error, psycopg.errors.UniqueViolation)

    def invalidates_pool(self, error: BaseException) -> bool:
        # Read-only: the server has become a standby, and its name may now resolve to another one.
        return isinstance(
            error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.ConnectionTimeout
        )

    def message(self, error: BaseException) -> str:
        # Only the primary message: the rest contains the statement or values in it.
        primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
        return primary or " ".join(str(error).split())


class _DeadlineConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose waits end at a deadline, which is a time of the monotonic clock."""

    deadline = inf
    is_new = True

    def wait(
        self, gen: PQGen[_Result], interval: float = 0.1, timeout: float | None = None
    ) -> _Result:
        left = self.deadline - monotonic()
        try:
            return super().wait(
                gen, interval, max(0.0, left if timeout is None else min(left, timeout))
            )
        except psycopg.OperationalError:
            if monotonic() < self.deadline:
                raise
            # A late result could be mistaken for the result of the next statement.
            self.pgconn.finish()
            raise psycopg.errors.ConnectionTimeout("the server did not respond in time") from None


def _lock_for_preparation(connection: Connection) -> None:
    driver_connection = connection.connection.driver_connection
    assert isinstance(driver_connection, _DeadlineConnection)  # noqa: S101 - from _connect
    driver_connection.deadline = monotonic() + _PREPARATION_TIMEOUT_SECONDS
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    connection.execute(
        text(f"SET LOCAL lock_timeout = '{PREPARATION_LOCK_TIMEOUT_SECONDS}s'"),
    )
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _PREPARATION_LOCK})


def _engine(url: URL, limits: Limits) -> Engine:
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        # Every transaction is ended explicitly, so there is nothing to roll back.
        pool_reset_on_return=None,
        pool_size=limits.pool_size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        # Few connections stay busy, so that the server can close idle ones.
        pool_use_lifo=True,
        # Not used, and it would cost a query on the first connection.
        use_native_hstore=False,
        # Hashes of passwords and tokens must not be logged.
        hide_parameters=True,
        connect_args={"connect_timeout": _CONNECT_TIMEOUT_SECONDS},
    )
    seconds = limits.timeout_seconds
    event.listen(engine, "do_connect", lambda *arguments: _connect(seconds, *arguments))
    event.listen(engine, "connect", lambda connection, _: _set_up(connection, seconds))
    event.listen(engine, "checkout", lambda connection, *_: _check_out(connection, seconds))
    return engine


def _connect(
    timeout_seconds: float,
    _dialect: object,
    _record: object,
    arguments: Any,  # noqa: ANN401 - psycopg's own
    options: Any,  # noqa: ANN401
) -> _DeadlineConnection:
    deadline = monotonic() + timeout_seconds
    connection = _DeadlineConnection.connect(*arguments, **options)
    connection.deadline = deadline
    return connection


def _set_up(connection: _DeadlineConnection, timeout_seconds: float) -> None:
    # Not as connection options, which a connection pooler might reject.
    connection.execute(
        "SELECT set_config('statement_timeout', %(timeout)s, false),"
        " set_config('lock_timeout', %(timeout)s, false),"
        " set_config('idle_in_transaction_session_timeout', %(idle)s, false)",
        {
            "timeout": str(round(timeout_seconds * _SERVER_TIMEOUT_SHARE * 1000)),
            "idle": str(_IDLE_IN_TRANSACTION_TIMEOUT_MILLISECONDS),
        },
    )


def _check_out(connection: _DeadlineConnection, timeout_seconds: float) -> None:
    # No query is pending, so readable data means that the server has closed the connection.
    # This check needs no round trip.
    if connection.closed or _is_readable(connection):
        raise DisconnectionError("the server has closed the connection")
    if not connection.is_new:
        connection.deadline = monotonic() + timeout_seconds
    connection.is_new = False


def _is_readable(connection: _DeadlineConnection) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
