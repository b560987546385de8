"""PostgreSQL, through psycopg 3: a server that may hang, restart, or be replaced by another."""

import select
from math import inf
from time import monotonic
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DisconnectionError

from evref.adapters.outbound.sql.dialect import POOL_TIMEOUT_SECONDS, Dialect, Limits

# The server is to give up before its client does, since it can say why; a server that hangs
# cannot, nor one that the network has lost.
_SERVERS_PART = 0.8

_CONNECT_TIMEOUT_SECONDS = 2  # the least that libpq knows

# A host that dies in a transaction must not keep others from the rows it locked.
_IDLE_IN_TRANSACTION_TIMEOUT_MILLISECONDS = 10_000

# Preparing waits for another that prepares, and then takes the time that it takes.
_PREPARATION_SECONDS = 600
_WAIT_FOR_PREPARATION_SECONDS = 60

# Any number, as long as all who prepare an evref database use the same one.
_PREPARATION_LOCK = 0x65767265660001

_Answer = TypeVar("_Answer")


class PostgresqlDialect(Dialect):
    """Transactions read what is committed, and lock the rows that they change.

    Raises:
        ArgumentError: when the URL names another driver, or an option that libpq does not know.

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

    def lock_for_preparation(self, connection: Connection) -> None:
        driver_connection = connection.connection.driver_connection
        assert isinstance(driver_connection, _PatientConnection)  # noqa: S101 - as made below
        driver_connection.deadline = monotonic() + _PREPARATION_SECONDS
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(
            text(f"SET LOCAL lock_timeout = '{_WAIT_FOR_PREPARATION_SECONDS}s'"),
        )
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:number)"), {"number": _PREPARATION_LOCK}
        )

    def is_taken(self, error: BaseException) -> bool:
        return isinstance(error, psycopg.errors.UniqueViolation)

    def is_pool_suspect(self, error: BaseException) -> bool:
        # Read-only: the server became a standby, and its name may lead to another by now.
        return isinstance(
            error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.ConnectionTimeout
        )

    def message(self, error: BaseException) -> str:
        # What the server says goes on with the statement, or with values in it.
        said = error.diag.message_primary if isinstance(error, psycopg.Error) else None
        return said or " ".join(str(error).split())


class _PatientConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which nothing is waited for past a deadline, on the monotonic clock."""

    deadline = inf
    is_new = True

    def wait(
        self, gen: PQGen[_Answer], interval: float = 0.1, timeout: float | None = None
    ) -> _Answer:
        left = self.deadline - monotonic()
        try:
            return super().wait(
                gen, interval, max(0.0, left if timeout is None else min(left, timeout))
            )
        except psycopg.OperationalError:
            if monotonic() < self.deadline:
                raise
            # The answer may yet come, and would be taken for the one to the next statement.
            self.pgconn.finish()
            raise psycopg.errors.ConnectionTimeout("no answer in time") from None


def _engine(url: URL, limits: Limits) -> Engine:
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        # Whoever begins a transaction ends it; there is nothing to roll back.
        pool_reset_on_return=None,
        pool_size=limits.pool_size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        # Busy connections stay few, so that the others end and leave the server in peace.
        pool_use_lifo=True,
        # It would be asked for with the first connection, and is not used.
        use_native_hstore=False,
        # Digests and password hashes have no place in a log.
        hide_parameters=True,
        connect_args={"connect_timeout": _CONNECT_TIMEOUT_SECONDS},
    )
    patience = limits.timeout_seconds
    event.listen(engine, "do_connect", lambda *connecting: _connect(patience, *connecting))
    event.listen(engine, "connect", lambda connection, _: _set_up(connection, patience))
    event.listen(engine, "checkout", lambda connection, *_: _check_out(connection, patience))
    return engine


def _connect(
    patience: float,
    _dialect: object,
    _record: object,
    arguments: Any,  # noqa: ANN401 - psycopg's own
    options: Any,  # noqa: ANN401
) -> _PatientConnection:
    deadline = monotonic() + patience
    connection = _PatientConnection.connect(*arguments, **options)
    connection.deadline = deadline
    return connection


def _set_up(connection: _PatientConnection, patience: float) -> None:
    # Not as options of the connection, which a pooler between might refuse.
    connection.execute(
        "SELECT set_config('statement_timeout', %(timeout)s, false),"
        " set_config('lock_timeout', %(timeout)s, false),"
        " set_config('idle_in_transaction_session_timeout', %(idle)s, false)",
        {
            "timeout": str(round(patience * _SERVERS_PART * 1000)),
            "idle": str(_IDLE_IN_TRANSACTION_TIMEOUT_MILLISECONDS),
        },
    )


def _check_out(connection: _PatientConnection, patience: float) -> None:
    # Nothing is asked, so what there is to read is the end: the server stopped, or cut it off.
    # This finds out without a round trip, and so at no cost to those who need no such news.
    if connection.closed or _has_something_to_read(connection):
        raise DisconnectionError("the server has closed the connection")
    if not connection.is_new:
        connection.deadline = monotonic() + patience
    connection.is_new = False


def _has_something_to_read(connection: _PatientConnection) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
