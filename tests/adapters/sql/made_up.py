"""Sample rows for all tables, generated from their columns."""

import zlib
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, insert, select, update

Rows = dict[str, list[dict[str, Any]]]
"""By table, each row by column."""


def made_up(column: Column[Any], number: int) -> object:  # noqa: PLR0911 - one for each type
    """A value that the column can have; another one for another number, where there is one."""
    for foreign_key in column.foreign_keys:
        return made_up(foreign_key.column, number)
    match column.type.python_type.__name__:
        case "str":
            return f"{number} {column.name} ÄÖ'\";--"[: column.type.length]  # type: ignore[attr-defined]
        case "bytes":
            return zlib.compress(f"{number}".encode())
        case "int":
            return number
        case "bool":
            return number % 2 == 1
        case "date":
            return date(2026, 3, number)
        case "datetime":
            return datetime(2026, 3, number, 12, 30, 15, 123_456, tzinfo=UTC)
        case other:
            raise TypeError(f"{column} is of a type that has no made-up values: {other}")


def fill(connection: Connection) -> None:
    """Two rows in each table, but for those that have their row from the beginning."""
    for table in tables(connection):
        filled = connection.execute(select(table)).first() is not None
        for number in (1,) if filled else (1, 2):
            row = {column.name: made_up(column, number) for column in table.columns}
            connection.execute((update if filled else insert)(table).values(row))


def tables(connection: Connection) -> list[Table]:
    """Those that there are, each after those that it refers to."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != "alembic_version"]


def rows(connection: Connection) -> Rows:
    return {
        table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
        for table in tables(connection)
    }


def assert_kept(before: Rows, after: Rows) -> None:
    """All rows are there, with all values that they had."""
    after = _moved_back(before, after)
    after = _as_before_key_secrets(before, after)
    if "role" in _columns(after, "members") - _columns(before, "members"):
        assert {row["role"] for row in after["members"]} == {"admin"}
    for name, earlier in before.items():
        assert earlier
        if name == "catalogue_documents":
            # Their content has these too.
            earlier = [_without(row, "version", "diagnosis") for row in earlier]  # noqa: PLW2901
        kept = [{column: row[column] for column in earlier[0]} for row in after[name]]
        assert sorted(kept, key=str) == sorted(earlier, key=str)


def _without(row: dict[str, Any], *columns: str) -> dict[str, Any]:
    return {column: value for column, value in row.items() if column not in columns}


def _moved_back(before: Rows, after: Rows) -> Rows:
    """The rows with those of the catalogue where they were before its history was kept."""
    if "catalogue_entries" not in before or "catalogue_entries" in after:
        return after
    texts = {
        row["digest"]: zlib.decompress(row["content"]).decode()
        for row in after["catalogue_documents"]
    }
    # What is in the document itself has no column any more.
    ids = {row["document"]: row["diagnosis_id"] for row in before["catalogue_entries"]}
    entries = [
        {
            "version": row["version"],
            "diagnosis_id": ids[texts[row["digest"]]],
            "document": texts[row["digest"]],
        }
        for row in after["catalogue_contents"]
    ]
    (served,), (newest, *_) = after["catalogue_publication"], after["catalogue_history"]
    publication = served | {"published_at": newest["published_at"]}
    assert served["version"] == newest["version"]
    return after | {"catalogue_entries": entries, "catalogue_publication": [publication]}


def _as_before_key_secrets(before: Rows, after: Rows) -> Rows:
    """The rows as they were before secrets had a table, and audit entries a subject."""
    if "token_hash" not in _columns(before, "api_keys") or "key_secrets" not in after:
        return after
    secrets = {row["key_id"]: row for row in after["key_secrets"]}
    api_keys = []
    for row in after["api_keys"]:
        secret = secrets[row["id"]]
        assert (secret["created_at"], secret["ends_at"]) == (row["created_at"], None)
        api_keys.append(row | {"token_hash": secret["digest"], "last_four": secret["last_four"]})
    assert {row["subject_kind"] for row in after["audit_entries"]} == {"key"}
    entries = [row | {"key_id": row["subject_id"]} for row in after["audit_entries"]]
    return after | {"api_keys": api_keys, "audit_entries": entries}


def _columns(rows: Rows, table: str) -> set[str]:
    """The columns of a table; none where there is no such table, or it has no rows."""
    return {column for row in rows.get(table, []) for column in row}
