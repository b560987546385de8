"""Databases that releases of evref have written; `released/make.py` says how."""

import json
import lzma
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, MetaData, Table, create_engine, insert, select, text

from evref.adapters.outbound.sql import SqlDatabase
from evref.adapters.outbound.sql.storage import migrate

FOLDER = Path(__file__).parent / "released"

REVISIONS = {"0.1.0": "0009"}
"""By release, the revision of its database."""

REPLACED = {"catalogue_contents", "catalogue_documents", "removals"}
"""Tables of releases whose content is elsewhere now, or not kept any more."""

Rows = dict[str, list[dict[str, Any]]]
"""By table, each row by column."""


def known(release: str) -> dict[str, Any]:
    """Return what clients know of the database: keys, cookies, and what it returned to them."""
    content: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))
    return content


def restore(url: str, release: str) -> None:
    """Write the database of a release; on PostgreSQL, its rows into the tables of then."""
    content = lzma.decompress((FOLDER / f"{release}.db.xz").read_bytes())
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).write_bytes(content)
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "evref.db"
        file.write_bytes(content)
        with create_engine(f"sqlite:///{file}").connect() as written:
            held = rows(written)
    with (
        closing(SqlDatabase(url, timeout_seconds=60)) as database,
        database.transaction() as connection,
    ):
        migrate(connection, REVISIONS[release])
        for table in _tables(connection):
            connection.execute(table.delete())
            if held[table.name]:
                connection.execute(insert(table), held[table.name])
        connection.execute(text("SELECT setval('audit_entries_id_seq', 1000)"))


def rows(connection: Connection) -> Rows:
    """Return all rows of all tables but Alembic's."""
    return {
        table.name: [
            {name: _in_utc(value) for name, value in row.items()}
            for row in connection.execute(select(table)).mappings()
        ]
        for table in _tables(connection)
    }


def assert_kept(before: Rows, after: Rows) -> None:
    """Every row of every table is there, with all values that it had."""
    assert before.keys() - after.keys() <= REPLACED
    for name in before.keys() & after.keys():
        earlier = before[name]
        columns = {column for row in earlier for column in row}
        kept = [{column: row[column] for column in columns} for row in after[name]]
        assert sorted(map(_sorted, kept)) == sorted(map(_sorted, earlier)), name


def _tables(connection: Connection) -> list[Table]:
    """Return the tables, each after those that it refers to."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != "alembic_version"]


def _in_utc(value: object) -> object:
    # SQLite has no time zones.
    is_naive = isinstance(value, datetime) and value.tzinfo is None
    return value.replace(tzinfo=UTC) if is_naive else value  # type: ignore[attr-defined]


def _sorted(row: dict[str, Any]) -> str:
    return str(sorted(row.items()))
