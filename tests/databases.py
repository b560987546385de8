"""Databases with all tables, copied from a template because creating them is slower."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.tables import metadata
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.filling import keep_catalogue
from tests.servers import PostgresqlServer

# The publication table always has exactly one row.
_EMPTY = "".join(
    f"DELETE FROM {table.name};"
    for table in reversed(metadata.sorted_tables)
    if table.name not in {"catalogue_publication", "code_map"}
) + (
    "UPDATE catalogue_publication SET version = NULL; UPDATE code_map SET document = NULL"
)  # fmt: skip


def prepared_sqlite(folder: Path, catalogue: Catalogue | None = None) -> str:
    """Return the URL of a new SQLite file with all tables, in an existing folder.

    The file has the catalogue. Tests should share one catalogue object, because each object gets a
    template.
    """
    file = folder / "evref.sqlite"
    file.write_bytes(_sqlite_template(catalogue))
    return f"sqlite:///{file}"


@cache
def _sqlite_template(catalogue: Catalogue | None) -> bytes:
    # Copying a file is a hundred times faster than creating the tables.
    with TemporaryDirectory() as folder:
        file = Path(folder) / "evref.sqlite"
        database = SqlDatabase(f"sqlite:///{file}")
        storage = SqlStorage(database)
        storage.prepare()
        if catalogue is not None:
            keep_catalogue(storage, catalogue)
        storage.close()
        return file.read_bytes()


class PreparedDatabases:
    """PostgreSQL databases that are emptied and reused, which is faster than creating new ones."""

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server
        self._template: str | None = None
        self._names: list[str] = []

    def new(self) -> str:
        """Return the URL of a new database, for a test that changes more than rows."""
        return self._server.url(self._copy())

    def empty(self, number: int) -> str:
        """Return the URL of an empty database; a test that needs several numbers them."""
        while len(self._names) <= number:
            self._names.append(self._copy())
        self._server.execute(_EMPTY, self._names[number])
        return self._server.url(self._names[number])

    def _copy(self) -> str:
        if self._template is None:
            self._template = self._server.new_database()
            database = SqlDatabase(self._server.url(self._template), timeout_seconds=60)
            SqlStorage(database).prepare()
            database.close()
        return self._server.new_database(self._template)
