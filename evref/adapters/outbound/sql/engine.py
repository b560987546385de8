"""Connections to a database, transactions, and the translation of errors."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property, partial
from time import monotonic
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    PoolProxiedConnection,
    Row,
    Select,
    TextClause,
    event,
    make_url,
)
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    IntegrityError,
    InvalidatePoolError,
    SQLAlchemyError,
)

from evref.adapters.outbound.sql.backend import Backend
from evref.adapters.outbound.sql.sqlite import SqliteBackend
from evref.domain.errors import (
    AlreadyExistsError,
    Fault,
    InvalidValueError,
    NotFoundError,
    StorageUnavailableError,
)
from evref.ports.deadline import StorageCall

_FORM = "must be the URL of a database, such as sqlite:///evref.db or postgresql://HOST/DATABASE"
_UNESCAPED = "must have one @, before the server; write any other, as in a password, as %40"
# Only fairness depends on it: after this time a thread writes without the lock.
_WRITE_LOCK_TIMEOUT_SECONDS = 0.05
# PostgreSQL's SQLSTATE, and the names of SQLite's extended error codes.
_UNIQUE_VIOLATIONS = {"23505", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"}
_NEEDS_DRIVER = "names PostgreSQL, which needs more packages: pip install 'evref[postgresql]'"


class Source(ABC):
    """Where rows are read from: a database, or the transaction of a unit of work."""

    @abstractmethod
    def find_all(self, statement: Select[Any]) -> Sequence[Row[Any]]: ...

    def find(self, statement: Select[Any]) -> Row[Any] | None:
        rows = self.find_all(statement)
        return rows[0] if rows else None

    def get(self, statement: Select[Any], kind: str, name: str) -> Row[Any]:
        """Return the row of the record of this kind with this name, or raise `NotFoundError`."""
        row = self.find(statement)
        if row is None:
            raise NotFoundError(kind, name)
        return row


class SqlDatabase(Source):
    """A database by its URL, such as `sqlite:///evref.db` or `postgresql://user@host/evref`.

    It connects on first use. Threads share it, but processes do not: `close` it before a fork. It
    opens at most `pool_size` connections, and on SQLite one more for `direct`. A call waits at most
    0.4 seconds for a connection, and `timeout_seconds` in all, but not longer than its request may.
    """

    def __init__(self, url: str, *, pool_size: int = 64, timeout_seconds: float = 2.5) -> None:
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):
            # The error's message may quote a part of the URL that is a password.
            raise InvalidValueError([Fault("database_url", _FORM)]) from None
        # Otherwise the part of a password after its @ would be logged as the name of the server.
        if parsed.get_backend_name() == "postgresql" and url.count("@") > 1:
            raise InvalidValueError([Fault("database_url", _UNESCAPED)])
        try:
            self.backend = _backend(parsed, pool_size, timeout_seconds)
        except ArgumentError as error:
            raise InvalidValueError([Fault("database_url", _FORM)]) from error
        self._name = _loggable(parsed)
        self._timeout_seconds = timeout_seconds
        self._engine = self.backend.engine
        self._driver_error: type[Exception] = self._engine.dialect.loaded_dbapi.Error
        self._pool_is_stale = False
        self._kept: PoolProxiedConnection | None = None
        event.listen(self._engine, "checkout", self._replace_stale_pool, insert=True)
        event.listen(self._engine, "handle_error", self._invalidate_all_connections)

    def connect(self) -> AbstractContextManager[Connection]:
        """Return a connection that reads, or executes one statement."""
        return self._begun(self._engine)

    def find_all(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        with self.connect() as connection:
            return _rows(connection, statement)

    def transaction(self) -> AbstractContextManager[Connection]:
        """Return a connection whose statements are committed together, or not at all."""
        return self._begun(self.backend.transactions)

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        with (
            StorageCall(monotonic, most=self._timeout_seconds) as ends_at,
            self._errors_translated(),
            engine.connect() as connection,
        ):
            self.backend.limit(connection.connection, ends_at)
            with connection.begin():
                yield connection

    def direct(
        self, statement: TextClause
    ) -> Callable[[Mapping[str, object]], tuple[Any, ...] | None]:
        """Return the statement as a function of its parameters, for use in every request.

        Each call is a separate transaction, and returns at most one row, with values of the driver.
        It takes a third of the time of `connect`. Where threads queue to write, they use the same
        connection in turn, which they keep out of the pool.
        """
        return partial(self._execute, statement.compile(dialect=self._engine.dialect).string)

    def _execute(self, statement: str, values: Mapping[str, object]) -> tuple[Any, ...] | None:
        lock = self.backend.write_lock
        with (
            StorageCall(monotonic, most=self._timeout_seconds) as ends_at,
            self._errors_translated(),
        ):
            is_locked = lock is not None and lock.acquire(timeout=_WRITE_LOCK_TIMEOUT_SECONDS)
            try:
                connection = self._take_kept() if is_locked else self._engine.raw_connection()
                try:
                    self.backend.limit(connection, ends_at)
                    rows = self.backend.execute(connection, statement, values)
                except BaseException as error:
                    connection.invalidate(error)
                    connection.close()
                    self._pool_is_stale |= self.backend.invalidates_pool(error)
                    raise
                if is_locked:
                    self._kept = connection
                else:
                    connection.close()
                return rows[0] if rows else None
            finally:
                if lock is not None and is_locked:
                    lock.release()

    @contextmanager
    def preparation(self) -> Iterator[Connection]:
        with self._errors_translated(), self.backend.preparation() as connection:
            yield connection

    def close(self) -> None:
        self._return_kept()
        self._engine.dispose()

    def _take_kept(self) -> PoolProxiedConnection:
        if self._pool_is_stale:
            self._return_kept()
        connection, self._kept = self._kept, None
        return connection or self._engine.raw_connection()

    def _return_kept(self) -> None:
        connection, self._kept = self._kept, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, self._driver_error) as error:
            # The driver's own message, because SQLAlchemy's includes the statement.
            message = self.backend.message(getattr(error, "orig", None) or error)
            raise StorageUnavailableError(f"{self._name}: {message}") from error

    def _replace_stale_pool(self, *_arguments: object) -> None:
        # Otherwise each pooled connection would fail a request before it is replaced.
        if self._pool_is_stale:
            self._pool_is_stale = False
            raise InvalidatePoolError("another connection has failed")

    def _invalidate_all_connections(self, context: ExceptionContext) -> None:
        # SQLAlchemy then replaces the pool, as it does after a disconnect that it detects itself.
        if self.backend.invalidates_pool(context.original_exception):
            context.is_disconnect = True
            self._pool_is_stale = True


class SqlPart:
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database


class Transaction(ExitStack, Source):
    """The transaction of a unit of work, which begins with its first statement."""

    def __init__(self, database: SqlDatabase) -> None:
        super().__init__()
        self.database = database

    @cached_property
    def connection(self) -> Connection:
        return self.enter_context(self.database.transaction())

    def find_all(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        return _rows(self.connection, statement)

    @contextmanager
    def unique(self, kind: str, name: str) -> Iterator[Connection]:
        """Yield the connection; a violation of a unique constraint is an `AlreadyExistsError`."""
        try:
            yield self.connection
        except IntegrityError as error:
            codes = {getattr(error.orig, code, None) for code in ("sqlstate", "sqlite_errorname")}
            if codes.isdisjoint(_UNIQUE_VIOLATIONS):
                raise
            raise AlreadyExistsError(kind, name) from error


def _rows(connection: Connection, statement: Select[Any]) -> Sequence[Row[Any]]:
    try:
        return connection.execute(statement).all()
    except (UnicodeEncodeError, DataError):
        # No row has text with a lone surrogate, which a command line can contain, or with
        # a NUL, which a form can contain.
        return ()


def _backend(url: URL, pool_size: int, timeout_seconds: float) -> Backend:
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            return SqliteBackend(url, pool_size, timeout_seconds)
        case "postgresql" | "postgresql+psycopg":
            # Imported here because psycopg is optional.
            try:
                from evref.adapters.outbound.sql.postgresql import (  # noqa: PLC0415
                    PostgresqlBackend,
                )
            except ImportError as error:
                raise InvalidValueError([Fault("database_url", _NEEDS_DRIVER)]) from error
            return PostgresqlBackend(url, pool_size, timeout_seconds)
        case _:
            raise ArgumentError("an unsupported database or driver")


def _loggable(url: URL) -> str:
    """Return the URL for the log: without passwords, which libpq also accepts as options."""
    masked = {name: "hidden" for name in url.query if "password" in name}
    return url.update_query_dict(masked).render_as_string(hide_password=True)
