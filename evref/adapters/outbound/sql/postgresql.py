"""PostgreSQL, through psycopg 3: a server that may hang, restart, or be replaced."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from select import POLLIN, poll
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    PoolProxiedConnection,
    create_engine,
    event,
    func,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DisconnectionError

from evref.adapters.outbound.sql.backend import (
    POOL_TIMEOUT_SECONDS,
    PREPARATION_LOCK_TIMEOUT_SECONDS,
    Backend,
)
from evref.domain.errors import StorageNotReadyError

# The server should time out before the client, because it can report the reason. A server that
# hangs or is unreachable cannot.
_SERVER_TIMEOUT_SHARE = 0.8

_CONNECT_TIMEOUT_SECONDS = 2  # the minimum of libpq

_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"

# What this module relies on. A role or a database can have other defaults.
_SETTINGS = {
    "datestyle": "ISO, MDY",
    # A machine that dies during a transaction must not keep its row locks.
    "idle_in_transaction_session_timeout": "10s",
    "timezone": "UTC",
}

# A preparation may run for a long time, after it has waited for another one.
_PREPARATION_TIMEOUT_SECONDS = 600

# An arbitrary number, which must be the same for all preparations.
_PREPARATION_LOCK = 0x65767265660001

_OTHER_ENCODING = (
    "The database has the encoding {}; create one with ENCODING 'UTF8' TEMPLATE template0."
)

_Result = TypeVar("_Result")


class PostgresqlBackend(Backend):
    """Transactions read committed data, and lock the rows that they change."""

    def __init__(self, url: URL, pool_size: int, timeout_seconds: float) -> None:
        self.engine = _engine(url.set(drivername="postgresql+psycopg"), pool_size, timeout_seconds)
        _, options = self.engine.dialect.create_connect_args(url)
        options.pop("context")
        try:
            make_conninfo(**options)
        except psycopg.Error as error:
            raise ArgumentError("an unknown option") from error
        self.transactions = self.engine.execution_options()
        event.listen(self.engine, "begin", _begin_behind_a_pooler)
        event.listen(self.transactions, "begin", _begin)

    def limit(self, connection: PoolProxiedConnection, ends_at: float) -> None:
        _driver(connection).deadline = ends_at

    def execute(
        self, connection: PoolProxiedConnection, statement: str, values: Mapping[str, object]
    ) -> Sequence[tuple[Any, ...]]:
        driver = _driver(connection)
        if not driver.is_pooled:
            return super().execute(connection, statement, values)
        # The parameters are in the text, so that all is sent at once.
        cursor = psycopg.ClientCursor(driver)
        cursor.execute(f"{driver.beginning()}; {statement}; COMMIT".encode(), values)
        while cursor.description is None:
            cursor.nextset()
        return cursor.fetchall()

    @contextmanager
    def preparation(self) -> Iterator[Connection]:
        with self.transactions.connect() as connection:
            self.limit(connection.connection, monotonic() + _PREPARATION_TIMEOUT_SECONDS)
            with connection.begin():
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                timeout = f"SET LOCAL lock_timeout = '{PREPARATION_LOCK_TIMEOUT_SECONDS}s'"
                connection.execute(text(timeout))
                connection.execute(select(func.pg_advisory_xact_lock(_PREPARATION_LOCK)))
                encoding = connection.scalar(text("SHOW server_encoding"))
                if encoding != "UTF8":
                    raise StorageNotReadyError(_OTHER_ENCODING.format(encoding))
                yield connection

    def invalidates_pool(self, error: BaseException) -> bool:
        # Read-only: the server has become a standby, and its name may now resolve to another one.
        return isinstance(
            error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.ConnectionTimeout
        )

    def message(self, error: BaseException) -> str:
        # Only the primary message: the rest contains the statement or values in it.
        primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
        return primary or super().message(error)


class _DeadlineConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose waits end at a deadline, which is a time of the monotonic clock.

    `is_pooled` says that a connection pooler is in between, such as PgBouncer. Each transaction may
    then have another session of the server, and others use the sessions too.
    """

    deadline = inf
    is_pooled = False

    def beginning(self) -> str:
        """Return the statements that begin a transaction, whose settings end with it."""
        left = self.deadline - monotonic()
        settings = {**_SETTINGS, **_timeouts(left)}
        return "; ".join(
            [_BEGIN, *(f"SET LOCAL {name} = '{value}'" for name, value in settings.items())]
        )

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


def _driver(connection: PoolProxiedConnection) -> _DeadlineConnection:
    driver_connection = connection.driver_connection
    assert isinstance(driver_connection, _DeadlineConnection)  # noqa: S101 - from _connect
    return driver_connection


def _timeouts(seconds: float) -> dict[str, str]:
    milliseconds = str(max(1, round(seconds * _SERVER_TIMEOUT_SHARE * 1000)))
    return {"statement_timeout": milliseconds, "lock_timeout": milliseconds}


def _begin(connection: Connection) -> None:
    if not _driver(connection.connection).is_pooled:
        connection.exec_driver_sql(_BEGIN)


def _begin_behind_a_pooler(connection: Connection) -> None:
    driver = _driver(connection.connection)
    if driver.is_pooled:
        connection.exec_driver_sql(driver.beginning())


def _engine(url: URL, pool_size: int, timeout_seconds: float) -> Engine:
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        # Every transaction is ended explicitly, so there is nothing to roll back.
        pool_reset_on_return=None,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        # Few connections stay busy, so that the server can close idle ones.
        pool_use_lifo=True,
        # Not used, and it would cost a query on the first connection.
        use_native_hstore=False,
        # Hashes of passwords and tokens must not be logged.
        hide_parameters=True,
        connect_args={"connect_timeout": _CONNECT_TIMEOUT_SECONDS, "client_encoding": "utf8"},
    )
    event.listen(engine, "do_connect", lambda *arguments: _connect(timeout_seconds, *arguments))
    event.listen(engine, "connect", lambda connection, _: _set_up(connection, timeout_seconds))
    event.listen(engine, "checkout", _check_out)
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
    # Not as connection options, which a connection pooler might reject. A pooler tells its clients
    # another process id than that of the session; settings of the session would then leak.
    settings = {**_SETTINGS, **_timeouts(timeout_seconds)}
    calls = ", ".join(f"set_config('{name}', %({name})s, false)" for name in settings)
    try:
        cursor = connection.execute(
            f"SELECT {calls} WHERE pg_backend_pid() = %(pid)s".encode(),
            {**settings, "pid": connection.info.backend_pid},
        )
    except psycopg.Error:
        connection.close()
        raise
    connection.is_pooled = cursor.fetchone() is None
    if connection.is_pooled:
        connection.prepare_threshold = None


def _check_out(connection: _DeadlineConnection, *_: object) -> None:
    # No query is pending, so readable data means that the server has closed the connection.
    # This check needs no round trip.
    readable = poll()
    if not connection.closed:
        readable.register(connection.fileno(), POLLIN)
    if connection.closed or readable.poll(0):
        raise DisconnectionError("the server has closed the connection")
