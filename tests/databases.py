"""Databases of PostgreSQL that tests use one after another."""

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.tables import metadata
from tests.servers import PostgresqlServer

# The publication's one row is there from the beginning, and stays.
_EMPTY = "".join(
    f"DELETE FROM {table.name};"
    for table in reversed(metadata.sorted_tables)
    if table.name != "catalogue_publication"
) + "UPDATE catalogue_publication SET version = NULL"  # fmt: skip


class PreparedDatabases:
    """Gives out databases with all tables: to empty one takes less than to make it anew."""

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server
        self._template: str | None = None
        self._names: list[str] = []

    def new(self) -> str:
        """The URL of a new one, for a test that changes more than rows."""
        return self._server.url(self._copy())

    def empty(self, number: int) -> str:
        """The URL of one in which there are no rows; a test that uses several numbers them."""
        while len(self._names) <= number:
            self._names.append(self._copy())
        self._server.execute(_EMPTY, self._names[number])
        return self._server.url(self._names[number])

    def _copy(self) -> str:
        if self._template is None:
            self._template = self._server.new_database()
            database = SqlDatabase(self._server.url(self._template))
            SqlStorage(database).prepare()
            database.close()
        return self._server.new_database(self._template)
