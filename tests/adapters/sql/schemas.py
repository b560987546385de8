"""The tables of a database, to compare those of two."""

import sqlite3
from contextlib import closing

from tests.servers import schema_of


def described(url: str) -> list[str]:
    """The lines of the statements that would make all tables, in no order."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            rows = connection.execute("SELECT tbl_name, sql FROM sqlite_master WHERE sql <> ''")
            made = "\n".join(sql for table, sql in rows if table != "alembic_version")
        # SQLite writes a column that was added in the line of the one before.
        made = made.replace(", ", ",\n")
        # SQLite puts the name of a table that was renamed in quotation marks.
        made = made.replace('"', "")
    else:
        made = schema_of(url, without="alembic_version")
    return sorted(line.strip().rstrip(",") for line in made.splitlines() if line.strip())
