"""The way to the database: connections, transactions, and what becomes of errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Row, Select, TextClause, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    IntegrityError,
    InvalidatePoolError,
    SQLAlchemyError,
)

from evref.adapters.outbound.sql.dialect import Dialect, Limits
from evref.adapters.outbound.sql.sqlite import SqliteDialect
from evref.domain.errors import (
    AlreadyExistsError,
    Fault,
    InvalidValueError,
    StorageUnavailableError,
)

_FORM = "must be the URL of a database, such as sqlite:///evref.db or postgresql://HOST/DATABASE"
# Nothing but the order of those who wait rests on it: after that they ask the database at once.
_IN_LINE_SECONDS = 0.05
_NEEDS_DRIVER = "names PostgreSQL, which needs more packages: pip install 'evref[postgresql]'"


class SqlDatabase:
    """A database by its URL, such as `sqlite:///evref.db` or `postgresql://user@host/evref`.

    It connects when first asked for data. Safe to share between threads, not between processes:
    `close` it before a fork. It makes `pool_size` connections at most, and whoever asks waits
    `timeout_seconds` at most for what is asked, after 0.4 at most for a connection.

    Raises:
        InvalidValueError: when the URL cannot be read, names no supported database, or names
            SQLite's database in memory, of which each connection would have its own.

    """

    def __init__(self, url: str, *, pool_size: int = 64, timeout_seconds: float = 2.5) -> None:
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):
            # What they say may quote a part of the URL that is a password.
            raise InvalidValueError([Fault("database_url", _FORM)]) from None
        try:
            self._dialect = _dialect(parsed, Limits(pool_size, timeout_seconds))
        except ArgumentError as error:
            raise InvalidValueError([Fault("database_url", _FORM)]) from error
        self._name = _shown(parsed)
        self._engine = self._dialect.engine
        self._transactions = self._dialect.transactions
        self._driver_error: type[Exception] = self._engine.dialect.loaded_dbapi.Error
        self._pool_is_suspect = False
        event.listen(self._engine, "checkout", self._replace_suspect_pool, insert=True)
        event.listen(self._engine, "handle_error", self._suspect_all_connections)

    def is_missing(self) -> bool:
        """Whether there is no database where connecting would make one, as SQLite does."""
        return self._dialect.is_missing()

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
        rows = self.find_all(statement)
        return rows[0] if rows else None

    def find_all(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        """All rows that the statement selects.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked, in time.

        """
        with self.connect() as connection:
            try:
                return connection.execute(statement).all()
            except (UnicodeEncodeError, DataError):
                # Text with half a surrogate pair, as a command line can have, or with a NUL, as
                # a form can; no row has it.
                return ()

    @contextmanager
    def transaction(self, *, taken: AlreadyExistsError | None = None) -> Iterator[Connection]:
        """A connection whose statements take effect together at the end, or not at all.

        On SQLite, no other writing comes between its beginning and its end; on PostgreSQL, rows
        that it selected `FOR UPDATE` or has changed are changed by no other until the end.

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
        line = self._dialect.line
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
            in_line = line is not None and line.acquire(timeout=_IN_LINE_SECONDS)
            try:
                connection = self._engine.raw_connection()
                try:
                    cursor = connection.cursor()
                    cursor.execute(compiled.string, values)
                    # All of them, because SQLite commits when it has come to the end.
                    rows = cursor.fetchall()
                except self._driver_error as error:
                    connection.invalidate(error)
                    if self._dialect.is_pool_suspect(error):
                        self._pool_is_suspect = True
                    raise
                finally:
                    connection.close()
            except (SQLAlchemyError, self._driver_error) as error:
                raise StorageUnavailableError(self._reason(error)) from error
            finally:
                if line is not None and in_line:
                    line.release()
            return rows[0] if rows else None

        return execute

    @contextmanager
    def preparation(self) -> Iterator[Connection]:
        """A transaction that waits for any other preparation, and may take its time.

        Raises:
            StorageUnavailableError: when the database does not do what it is asked.

        """
        with self.transaction() as connection:
            self._dialect.lock_for_preparation(connection)
            yield connection

    def close(self) -> None:
        """Close all connections that are not in use; new ones are made on demand."""
        self._engine.dispose()

    @contextmanager
    def _errors_translated(self, taken: AlreadyExistsError | None = None) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            if taken is not None and error.orig and self._dialect.is_taken(error.orig):
                raise taken from error
            raise StorageUnavailableError(self._reason(error)) from error
        except (SQLAlchemyError, self._driver_error) as error:
            raise StorageUnavailableError(self._reason(error)) from error

    def _reason(self, error: Exception) -> str:
        # The driver's own message: SQLAlchemy's would add the statement.
        cause = getattr(error, "orig", None) or error
        return f"{self._name}: {self._dialect.message(cause)}"

    def _replace_suspect_pool(self, *_arguments: object) -> None:
        # So that not each of its connections fails a request before it is replaced.
        if self._pool_is_suspect:
            self._pool_is_suspect = False
            raise InvalidatePoolError("another connection has failed")

    def _suspect_all_connections(self, context: ExceptionContext) -> None:
        # SQLAlchemy does the same for those connections on which it sees the error itself.
        if self._dialect.is_pool_suspect(context.original_exception):
            context.is_disconnect = True


def _dialect(url: URL, limits: Limits) -> Dialect:
    match url.get_backend_name():
        case "sqlite":
            return SqliteDialect(url, limits)
        case "postgresql":
            # Only now: psycopg need not be installed, nor be loaded, where SQLite is used.
            try:
                from evref.adapters.outbound.sql.postgresql import (  # noqa: PLC0415
                    PostgresqlDialect,
                )
            except ImportError as error:
                raise InvalidValueError([Fault("database_url", _NEEDS_DRIVER)]) from error
            return PostgresqlDialect(url, limits)
        case _:
            raise ArgumentError("an unsupported database")


def _shown(url: URL) -> str:
    """The URL as it may stand in a log: without passwords, which libpq also takes as options."""
    masked = {name: "hidden" for name in url.query if "password" in name}
    return url.update_query_dict(masked).render_as_string(hide_password=True)
