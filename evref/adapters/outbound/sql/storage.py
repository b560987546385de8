"""The storage in a SQL database: its parts, its unit of work and its preparation."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, String, column, false, inspect, select, table, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.access.keys import SqlKeyChanges, SqlKeys
from evref.adapters.outbound.sql.access.usage import SqlAdmission, SqlUsageReports
from evref.adapters.outbound.sql.accounts.accounts import SqlAccountChanges, SqlAccounts
from evref.adapters.outbound.sql.accounts.secrets import SqlSharedSecrets
from evref.adapters.outbound.sql.accounts.sessions import SqlSessionStore
from evref.adapters.outbound.sql.accounts.sign_in_attempts import SqlSignInAttempts
from evref.adapters.outbound.sql.audit import SqlAuditLog
from evref.adapters.outbound.sql.catalogue.store import SqlCatalogueChanges, SqlPublishedCatalogue
from evref.adapters.outbound.sql.engine import SqlDatabase, Transaction
from evref.adapters.outbound.sql.tables import catalogue_publication
from evref.domain.errors import StorageNotReadyError
from evref.domain.principal import Principal
from evref.ports.storage import Changes, Storage

# The revisions in `migrations`, oldest first. With this list, an older database is distinguished
# from a newer one without an import of Alembic.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009")

MIGRATIONS = Path(__file__).parent / "migrations"
_NEWER_VERSION = "The database was made by a newer version of evref; install that, or newer."


class SqlStorage(Storage):
    """Storage in a SQL database."""

    def __init__(self, database: SqlDatabase) -> None:
        self.database = database
        self.catalogue = SqlPublishedCatalogue(database)
        self.keys = SqlKeys(database)
        self.admission = SqlAdmission(database)
        self.usage = SqlUsageReports(database)
        self.accounts = SqlAccounts(database)
        self.sessions = SqlSessionStore(database)
        self.sign_in_attempts = SqlSignInAttempts(database)
        self.secrets = SqlSharedSecrets(database)
        self.audit = SqlAuditLog(database)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with Transaction(self.database) as transaction:
            changes = Changes(
                principal,
                instant,
                SqlKeyChanges(transaction),
                SqlAccountChanges(transaction),
                SqlCatalogueChanges(transaction),
            )
            yield changes
            if changes.entries:
                audit.append(transaction.connection, changes.entries)

    def prepare(self) -> None:
        # If several processes prepare at the same time, all but the first find it done.
        with self.database.preparation() as connection:
            revision = _revision(connection)
            _refuse_newer(revision)
            if revision != REVISIONS[-1]:
                migrate(connection)

    def verify(self) -> None:
        # Checked first, because connecting would create the database.
        if self.database.is_missing():
            raise StorageNotReadyError("There is no database yet; run: evref init")
        with self.database.connect() as connection:
            revision = _revision(connection)
        if revision is None:
            raise StorageNotReadyError("The database has no tables yet; run: evref init")
        _refuse_newer(revision)
        if revision != REVISIONS[-1]:
            raise StorageNotReadyError(
                "The database was made by an older version of evref; run: evref init"
            )

    def ping(self) -> None:
        # A write that changes nothing. Beginning a transaction is not enough: SQLite and
        # PostgreSQL also allow that on a read-only database, such as a standby.
        nothing = update(catalogue_publication).where(false()).values(version=None)
        with self.database.transaction() as connection:
            connection.execute(nothing)

    def close(self) -> None:
        self.database.close()


def _revision(connection: Connection) -> str | None:
    """Return the Alembic revision of the database; None if it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    mark = select(column("version_num", String)).select_from(table("alembic_version"))
    return connection.execute(mark).scalar_one_or_none()


def _refuse_newer(revision: str | None) -> None:
    if revision is not None and revision not in REVISIONS:
        raise StorageNotReadyError(_NEWER_VERSION)


def migrate(connection: Connection, revision: str = REVISIONS[-1]) -> None:
    """Upgrade an older database to this revision, within the transaction."""
    # Imported here because the import takes longer than a command such as `evref key list`.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    # Alembic reads the option with interpolation, so a percent sign must be doubled.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)
