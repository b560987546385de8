"""Databases that releases of evref have written; `released/make.py` creates them."""

import json
import lzma
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Connection, MetaData, select

from tests.servers import schema_of

FOLDER = Path(__file__).parent / "released"

RELEASES = ("0.1.0", "0.2.0")

LEFT = {"0.1.0": ("catalogue_contents", "catalogue_documents", "removals"), "0.2.0": ()}
"""Tables that only the release reads; they stay for it until it is restarted."""

Rows = dict[str, list[dict[str, Any]]]
"""The rows of each table by its name, each row as a mapping of columns to values."""


def known(release: str) -> dict[str, Any]:
    """Return what clients know of the database: keys, cookies and earlier responses."""
    content: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))
    return content


def restore(url: str, release: str) -> None:
    """Write the database of a release to the new database at the URL."""
    if url.startswith("sqlite"):
        content = (FOLDER / f"{release}.db.xz").read_bytes()
        Path(url.removeprefix("sqlite:///")).write_bytes(lzma.decompress(content))
    else:
        with psycopg.connect(url) as connection:
            connection.execute(lzma.decompress((FOLDER / f"{release}.sql.xz").read_bytes()))


def rows(connection: Connection) -> Rows:
    """Return all rows of all tables but Alembic's."""
    metadata = MetaData()
    metadata.reflect(connection)
    return {
        table.name: [
            {name: _in_utc(value) for name, value in row.items()}
            for row in connection.execute(select(table)).mappings()
        ]
        for table in metadata.sorted_tables
        if table.name != "alembic_version"
    }


def assert_kept(before: Rows, after: Rows) -> None:
    """Assert that `after` has every row of every table in `before`, with all its values."""
    assert before.keys() <= after.keys()
    for name in before:
        earlier = before[name]
        columns = {column for row in earlier for column in row}
        kept = [{column: row[column] for column in columns} for row in after[name]]
        assert sorted(map(_sorted, kept)) == sorted(map(_sorted, earlier)), name


def _in_utc(value: object) -> object:
    # SQLite has no time zones.
    is_naive = isinstance(value, datetime) and value.tzinfo is None
    return value.replace(tzinfo=UTC) if is_naive else value  # type: ignore[attr-defined]


def _sorted(row: dict[str, Any]) -> str:
    return str(sorted(row.items()))


def described(url: str) -> list[str]:
    """Return the lines of the statements that create the tables, sorted."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            rows = connection.execute("SELECT tbl_name, sql FROM sqlite_master WHERE sql <> ''")
            made = "\n".join(sql for table, sql in rows if table != "alembic_version")
        # SQLite puts an added column on the same line as the column before it.
        made = made.replace(", ", ",\n")
        # SQLite puts the name of a renamed table in quotation marks.
        made = made.replace('"', "")
    else:
        made = schema_of(url, without="alembic_version")
    return sorted(line.strip().rstrip(",") for line in made.splitlines() if line.strip())
