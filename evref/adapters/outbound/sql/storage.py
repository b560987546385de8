"""The storage in a SQL database: its parts, its unit of work and its preparation."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, String, column, insert, inspect, select, table, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.access import SqlAdmission, SqlKeyChanges, SqlKeys, SqlUsageReports
from evref.adapters.outbound.sql.accounts import SqlRecordChanges, SqlRecords
from evref.adapters.outbound.sql.audit import SqlAuditLog
from evref.adapters.outbound.sql.catalogue import SqlCatalogueChanges, SqlPublishedCatalogue
from evref.adapters.outbound.sql.engine import SqlDatabase, Transaction
from evref.adapters.outbound.sql.tables import catalogue_publication, code_map, metadata
from evref.domain.errors import InvalidApiKeyError, StorageNotReadyError
from evref.domain.principal import Principal
from evref.ports.storage import Changes, Storage

# The revisions in `migrations`, oldest first; each is a release. With this list, an older
# database is distinguished from a newer one without an import of Alembic.
REVISIONS = ("0009", "0014")

MIGRATIONS = Path(__file__).parent / "migrations"
_NEWER_VERSION = "The database was made by a newer version of evref; install that, or newer."
_OF_NO_RELEASE = "The database was made by no release of evref and cannot be upgraded."

# By this digest there is no key.
_NO_DIGEST = "0" * 64


class SqlStorage(Storage):
    def __init__(self, database: SqlDatabase) -> None:
        self.database = database
        self.catalogue = SqlPublishedCatalogue(database)
        self.keys = SqlKeys(database)
        self.admission = SqlAdmission(database)
        self.usage = SqlUsageReports(database)
        self.records = SqlRecords(database)
        self.audit = SqlAuditLog(database)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with Transaction(self.database) as transaction:
            changes = Changes(
                principal,
                instant,
                SqlKeyChanges(transaction),
                SqlRecordChanges(transaction),
                SqlCatalogueChanges(transaction),
            )
            yield changes
            if changes.entries:
                audit.append(transaction.connection, changes.entries)

    def prepare(self) -> None:
        # If several processes prepare at the same time, all but the first find it done.
        with self.database.preparation() as connection:
            revision = _revision(connection)
            if revision != REVISIONS[-1]:
                _create_or_upgrade(connection, revision)

    def verify(self) -> None:
        # Checked first, because connecting would create the database.
        if self.database.backend.is_missing():
            raise StorageNotReadyError("There is no database yet; run: evref init")
        with self.database.connect() as connection:
            revision = _revision(connection)
        if revision is None:
            raise StorageNotReadyError("The database has no tables yet; run: evref init")
        if revision != REVISIONS[-1]:
            raise StorageNotReadyError(
                "The database was made by an older version of evref; run: evref init"
            )

    def ping(self) -> None:
        # By the path of a request, but nothing is counted.
        with suppress(InvalidApiKeyError):
            self.admission.admit(_NO_DIGEST, datetime.min.replace(tzinfo=UTC))
        # A write of what is there. It must reach the disk, which may be full.
        same = update(catalogue_publication).values(id=catalogue_publication.c.id)
        with self.database.connect() as connection:
            connection.execute(same)

    def close(self) -> None:
        self.database.close()


def _revision(connection: Connection) -> str | None:
    """Return the revision of the database, one of `REVISIONS`; None if it has no tables yet."""
    tables = {*inspect(connection).get_table_names()}
    if "alembic_version" not in tables:
        if tables & {*metadata.tables}:
            raise StorageNotReadyError(_OF_NO_RELEASE)
        return None
    mark = select(column("version_num", String)).select_from(table("alembic_version"))
    revision = max(connection.execute(mark).scalars(), default="")
    # Another program may use Alembic too.
    is_ours = "daily_usage" in tables
    if not is_ours or revision not in REVISIONS:
        is_newer = is_ours and revision > REVISIONS[-1]
        raise StorageNotReadyError(_NEWER_VERSION if is_newer else _OF_NO_RELEASE)
    return revision


def _create_or_upgrade(connection: Connection, revision: str | None) -> None:
    """Create the tables of a new database, or upgrade those of an older one, in the transaction."""
    # Imported here because the import takes longer than a command such as `evref key list`.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    # Alembic reads the option with interpolation, so a percent sign must be doubled.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    if revision is not None:
        command.upgrade(config, REVISIONS[-1])
        return
    metadata.create_all(connection, checkfirst=False)
    # These tables always have one row, to lock and update.
    connection.execute(insert(catalogue_publication).values(id=1))
    connection.execute(insert(code_map).values(id=1, number=0))
    command.stamp(config, REVISIONS[-1])
