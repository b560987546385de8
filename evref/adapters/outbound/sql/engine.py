"""The way to the database: connections, transactions, and what becomes of errors."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    QueuePool,
    Row,
    Select,
    TextClause,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from evref.domain.errors import (
    AlreadyExistsError,
    Fault,
    InvalidValueError,
    StorageUnavailableError,
)

# Whoever asks is owed an answer within three seconds. At worst a request waits for a connection
# of the pool, and with it for the lock that another process holds: together, these two.
_POOL_TIMEOUT_SECONDS = 0.4
_BUSY_TIMEOUT_MILLISECONDS = 2500

# More than a worker has threads, so that none waits for a connection; made when first needed.
_POOL_SIZE = 64

# After these a connection may go on failing when the file is well again, so it is replaced.
_SQLITE_CONNECTION_IS_SUSPECT = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}


class SqlDatabase:
    """A database by its URL, such as `sqlite:///evref.db`; connects when first asked for data.

    Safe to share between threads, not between processes: see `close` and `after_fork`.

    Raises:
        InvalidValueError: when the URL cannot be read, names no supported database, or names
            SQLite's database in memory, of which each connection would have its own.

    """

    def __init__(self, url: str) -> None:
        try:
            self._url = make_url(url)
            _refuse_unsupported(self._url)
            self._engine = _sqlite_engine(self._url)
        except ArgumentError as error:
            form = "must be the URL of a SQLite file, such as sqlite:///evref.db"
            raise InvalidValueError([Fault("database_url", form)]) from error
        self._transactions = _sqlite_transactions(self._engine)
        self._driver_error: type[Exception] = self._engine.dialect.loaded_dbapi.Error

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection on which each statement is a transaction of its own.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked, in time.

        """
        with self._errors_translated(), self._engine.connect() as connection:
            yield connection

    def find(self, statement: Select[Any]) -> Row[Any] | None:
        """The one row that the statement selects; None where there is none.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked, in time.

        """
        try:
            with self.connect() as connection:
                return connection.execute(statement).one_or_none()
        except UnicodeEncodeError:
            # Text with half a surrogate pair, as a command line can have; no row has it.
            return None

    @contextmanager
    def transaction(self, *, taken: AlreadyExistsError | None = None) -> Iterator[Connection]:
        """A connection whose statements take effect together at the end, or not at all.

        On SQLite, no other writing comes between its beginning and its end.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked, in time.
            AlreadyExistsError: `taken`, where it is given, when something unique is taken.

        """
        with self._errors_translated(taken), self._transactions.begin() as connection:
            yield connection

    def direct(
        self, statement: TextClause
    ) -> Callable[[Mapping[str, object]], tuple[Any, ...] | None]:
        """The statement as a function of its parameters; for what every request executes.

        It is a transaction of its own, and comes to one row at most, as the driver gives it.
        Going straight to the driver, it takes a third of the time that `connect` would.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked, in time.

        """
        dialect = self._engine.dialect
        compiled = statement.compile(dialect=dialect)
        processors = {
            name: processor
            for name, parameter in compiled.binds.items()
            if (processor := parameter.type.dialect_impl(dialect).bind_processor(dialect))
        }

        def execute(parameters: Mapping[str, object]) -> tuple[Any, ...] | None:
            values = {
                name: processors[name](value) if name in processors else value
                for name, value in parameters.items()
            }
            with self._errors_translated(), closing(self._engine.raw_connection()) as connection:
                try:
                    cursor = connection.cursor()
                    cursor.execute(compiled.string, values)
                    # All of them, because SQLite commits when it has come to the end.
                    rows = cursor.fetchall()
                    cursor.close()
                except self._driver_error as error:
                    connection.invalidate(error)
                    raise
            return rows[0] if rows else None

        return execute

    def close(self) -> None:
        """Close all connections that are not in use; new ones are made on demand."""
        self._engine.dispose()

    def after_fork(self) -> None:
        """Forget the connections of the parent process, which go on being its own."""
        self._engine.dispose(close=False)

    @contextmanager
    def _errors_translated(self, taken: AlreadyExistsError | None = None) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            # Both SQLite and PostgreSQL have the word in their message, and in no other one.
            if taken is not None and "unique" in str(error.orig).lower():
                raise taken from error
            raise StorageUnavailableError(self._reason(error)) from error
        except (SQLAlchemyError, self._driver_error) as error:
            raise StorageUnavailableError(self._reason(error)) from error

    def _reason(self, error: Exception) -> str:
        # The driver's own message: SQLAlchemy's would add the statement.
        cause = getattr(error, "orig", None) or error
        return f"{self._url.render_as_string()}: {cause}"


def _refuse_unsupported(url: URL) -> None:
    if url.drivername not in {"sqlite", "sqlite+pysqlite"}:
        raise ArgumentError("an unsupported database or driver")
    if not url.database or ":memory:" in url.database or url.query.get("mode") == "memory":
        raise ArgumentError("a database in memory")


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(
        url,
        # The driver begins no transaction by itself; where one is wanted, we begin it.
        isolation_level="AUTOCOMMIT",
        # Parameters by name, as PostgreSQL's driver takes them too.
        paramstyle="named",
        poolclass=QueuePool,
        pool_size=_POOL_SIZE,
        max_overflow=0,
        pool_timeout=_POOL_TIMEOUT_SECONDS,
        # Digests and password hashes have no place in a log.
        hide_parameters=True,
        # Set below, once the journal mode is: that is tried, and not waited for.
        connect_args={"timeout": 0},
    )
    event.listen(engine, "connect", _set_up_sqlite_connection)
    event.listen(engine, "handle_error", _replace_suspect_sqlite_connection)
    return engine


def _set_up_sqlite_connection(connection: sqlite3.Connection, _record: object) -> None:
    try:
        # The mode stays with the file, so this has an effect but once. Where it cannot be had,
        # because the file is read-only or in use, all works the same, only slower.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        # From here on the file is waited for: also these look into it.
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MILLISECONDS}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        # The pool has not taken it over yet, and would leave it open.
        connection.close()
        raise


def _replace_suspect_sqlite_connection(context: ExceptionContext) -> None:
    # The low byte of SQLite's extended error codes is the code that they extend.
    code = getattr(context.original_exception, "sqlite_errorcode", 0) & 0xFF
    if code in _SQLITE_CONNECTION_IS_SUSPECT:
        context.is_disconnect = True


def _sqlite_transactions(engine: Engine) -> Engine:
    """The same engine, but with transactions; they share one pool."""
    transactions = engine.execution_options()
    event.listen(transactions, "begin", _begin_immediate)
    return transactions


def _begin_immediate(connection: Connection) -> None:
    # A transaction that began by reading could find, when it comes to write, that another has
    # written since, and would have to start anew.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
