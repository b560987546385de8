"""The life of the database: made and migrated by Alembic, checked and watched without it."""

from pathlib import Path

from sqlalchemy import Connection, String, column, false, inspect, select, table, update

from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import catalogue_publication
from evref.domain.errors import StorageNotReadyError
from evref.ports import storage

# What `migrations` holds, oldest first, so that Alembic need not be imported to tell an older
# database from a newer one.
REVISIONS = ("0001", "0002", "0003", "0004", "0005")

MIGRATIONS = Path(__file__).parent / "migrations"
_MADE_BY_NEWER = "The database was made by a newer version of evref; install that, or newer."


class SqlStorage(storage.StorageHealth, storage.StorageSchema, storage.StorageConnections):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def prepare(self) -> None:
        # Of several who prepare at once, the second finds it done.
        with self._database.preparation() as connection:
            revision = _revision(connection)
            _refuse_newer(revision)
            if revision != REVISIONS[-1]:
                migrate(connection)

    def verify(self) -> None:
        # Looked at first, because a look into it would make it.
        if self._database.is_missing():
            raise StorageNotReadyError("There is no database yet; run: evref init")
        with self._database.connect() as connection:
            revision = _revision(connection)
        if revision is None:
            raise StorageNotReadyError("The database has no tables yet; run: evref init")
        _refuse_newer(revision)
        if revision != REVISIONS[-1]:
            raise StorageNotReadyError(
                "The database was made by an older version of evref; run: evref init"
            )

    def ping(self) -> None:
        # A write that changes nothing. To begin a transaction is not enough: SQLite and
        # PostgreSQL both let it begin where all is read-only, as on a standby.
        nothing = update(catalogue_publication).where(false()).values(version=None)
        with self._database.transaction() as connection:
            connection.execute(nothing)

    def close(self) -> None:
        self._database.close()


def _revision(connection: Connection) -> str | None:
    """Alembic's mark in the database; None where it has not been there."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    mark = select(column("version_num", String)).select_from(table("alembic_version"))
    return connection.execute(mark).scalar_one_or_none()


def _refuse_newer(revision: str | None) -> None:
    if revision is not None and revision not in REVISIONS:
        raise StorageNotReadyError(_MADE_BY_NEWER)


def migrate(connection: Connection, revision: str = REVISIONS[-1]) -> None:
    """Bring an older database to this revision, within the transaction."""
    # Only now, because importing it takes longer than a command such as `evref key list`.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    # The option is read with interpolation, in which a per cent sign is doubled.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)
