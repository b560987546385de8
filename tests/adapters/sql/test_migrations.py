"""From every earlier revision to the present one, with data in place; and who does it, and when.

A further revision is tested by being there: what an earlier one holds is made up from its tables.
"""

from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, MetaData, Table, insert, select, text, update

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.storage import REVISIONS, migrate
from tests.adapters.sql.databases import stores_in
from tests.adapters.sql.schemas import described
from tests.processes import Command
from tests.servers import free_port

EARLIER = REVISIONS[:-1]
TOGETHER = 3

Rows = dict[str, list[dict[str, Any]]]


def made_up(column: Column[Any], number: int) -> object:
    """A value that the column can have; another one for another number, where there is one."""
    for foreign_key in column.foreign_keys:
        return made_up(foreign_key.column, number)
    match column.type.python_type.__name__:
        case "str":
            return f"{number} {column.name} ÄÖ'\";--"[: column.type.length]  # type: ignore[attr-defined]
        case "int":
            return number
        case "bool":
            return number % 2 == 1
        case "date":
            return date(2026, 3, number)
        case "datetime":
            return datetime(2026, 3, number, 12, 30, 15, 123_456, tzinfo=UTC)
        case other:
            raise NotImplementedError(f"{column}: {other}")


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


@pytest.fixture(params=EARLIER)
def revision(request: pytest.FixtureRequest) -> str:
    """Each earlier one in turn."""
    return str(request.param)


@pytest.fixture
def before(database: SqlDatabase, revision: str) -> Rows:
    """What is in a database of the earlier revision."""
    with database.transaction() as connection:
        migrate(connection, revision)
        fill(connection)
    with database.connect() as connection:
        return rows(connection)


def assert_kept(before: Rows, after: Rows) -> None:
    """All rows are there, with all values that they had."""
    for name, earlier in before.items():
        assert earlier
        kept = [{column: row[column] for column in earlier[0]} for row in after[name]]
        assert sorted(kept, key=str) == sorted(earlier, key=str)


def test_all_that_an_earlier_revision_held_is_kept(
    database: SqlDatabase, url: str, before: Rows, new_url: str
) -> None:
    """And its tables become the very ones of a database that is new."""
    SqlStorage(database).prepare()

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))
    with closing(SqlDatabase(new_url)) as new:
        SqlStorage(new).prepare()
    assert described(url) == described(new_url)


def said_by_several_inits(url: str, folder: Path) -> list[str]:
    """What so many `evref init` at once say besides that storage is ready; none fails."""
    started = [
        Command(folder / f"{number}", "init", database_url=url) for number in range(TOGETHER)
    ]
    ended = [command.ended() for command in started]
    assert [(status, out) for status, out, _ in ended] == [
        (0, "The storage is ready.\n")
    ] * TOGETHER
    return sorted(err for _, _, err in ended)


def test_of_several_inits_at_once_all_succeed_from_an_earlier_revision(
    database: SqlDatabase, url: str, before: Rows, tmp_path: Path
) -> None:
    """One migrates, the others find it done, and all data is kept."""
    assert said_by_several_inits(url, tmp_path) == [""] * TOGETHER

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))


@pytest.mark.parametrize("state", ["older", "newer"])
@pytest.mark.parametrize("start", [("serve", "--bind"), ("key", "list")])
def test_what_another_version_left_is_told_in_one_line(
    database: SqlDatabase, url: str, tmp_path: Path, state: str, start: tuple[str, ...]
) -> None:
    """And neither served from nor changed."""
    with database.transaction() as connection:
        migrate(connection, EARLIER[-1])
        if state == "newer":
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    bind = [f"127.0.0.1:{free_port()}"] if start[0] == "serve" else []

    status, out, err = Command(tmp_path / "command", *start, *bind, database_url=url).ended()

    told = {
        "older": "evref: The database was made by an older version of evref; run: evref init\n",
        "newer": "evref: The database was made by a newer version of evref; "
        "install that, or newer.\n",
    }
    assert (status, out, err) == (1, "", told[state])


def test_of_several_inits_at_once_all_succeed_from_nothing(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    """There is one database in the end, with one catalogue, that one of them has loaded."""
    *nothing, said = said_by_several_inits(url, tmp_path)

    SqlStorage(database).verify()
    loaded = stores_in(database).catalogue.load()
    assert loaded is not None
    assert nothing == [""] * (TOGETHER - 1)
    assert loaded.catalogue.version in said
