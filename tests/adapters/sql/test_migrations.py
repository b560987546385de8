"""From every earlier revision to the present one, with data in place; and who does it, and when.

A further revision is tested by being there: what an earlier one holds is made up from its tables.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.storage import REVISIONS, migrate
from evref.testing.builders import a_catalogue, an_entry
from evref.testing.filling import keep_catalogue
from tests.adapters.sql.made_up import assert_kept, fill, rows, tables
from tests.adapters.sql.schemas import described
from tests.processes import Command
from tests.servers import free_port

EARLIER = REVISIONS[:-1]


@pytest.mark.parametrize("revision", EARLIER)
def test_all_that_an_earlier_revision_held_is_kept(
    database: SqlDatabase, url: str, revision: str, new_url: str
) -> None:
    """And its tables become the very ones of a database that is new."""
    with database.transaction() as connection:
        migrate(connection, revision)
        fill(connection)
    with database.connect() as connection:
        before = rows(connection)

    SqlStorage(database).prepare()

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))
    with closing(SqlDatabase(new_url, timeout_seconds=60)) as new:
        SqlStorage(new).prepare()
    assert described(url) == described(new_url)


@pytest.mark.parametrize("state", ["older", "newer"])
@pytest.mark.parametrize("start", [("serve", "--bind"), ("key", "list")])
def test_a_database_of_another_version_is_an_error_in_one_line(
    database: SqlDatabase, url: str, tmp_path: Path, state: str, start: tuple[str, ...]
) -> None:
    """And neither served from nor changed."""
    with database.transaction() as connection:
        migrate(connection, EARLIER[-1])
        if state == "newer":
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    bind = [f"127.0.0.1:{free_port()}"] if start[0] == "serve" else []

    status, out, err = Command(tmp_path / "command", *start, *bind, database_url=url).ended()

    errors = {
        "older": "evref: The database was made by an older version of evref; run: evref init\n",
        "newer": "evref: The database was made by a newer version of evref; "
        "install that, or newer.\n",
    }
    assert (status, out, err) == (1, "", errors[state])


def test_concurrent_inits_of_an_empty_database_all_succeed(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    """There is one database in the end, with one catalogue, that one of them has loaded."""
    started = [Command(tmp_path / name, "init", database_url=url) for name in ("one", "other")]
    ended = [command.ended() for command in started]
    nothing, said = sorted(err for _, _, err in ended)

    SqlStorage(database).verify()
    loaded = SqlStorage(database).catalogue.load()
    assert loaded is not None
    assert [(status, out) for status, out, _ in ended] == [(0, "The storage is ready.\n")] * 2
    assert nothing == ""
    assert loaded.version in said


def test_stored_publications_are_compared_once(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    """The oldest one is not, because the catalogue that it replaced is no longer stored."""
    with closing(SqlDatabase(f"sqlite:///{tmp_path / 'filled.db'}")) as filled:
        source = SqlStorage(filled)
        source.prepare()
        for name in ("First", "Second", "Third", "Second"):
            keep_catalogue(source, a_catalogue(an_entry("always"), an_entry("other", name=name)))
        history = source.catalogue.history()
        with filled.connect() as connection:
            held = rows(connection)
    with database.transaction() as connection:
        migrate(connection, "0008")
        for table in tables(connection):
            if table.name in {"catalogue_documents", "catalogue_history", "catalogue_contents"}:
                known = [
                    {column.name: row[column.name] for column in table.columns}
                    for row in held[table.name]
                ]
                connection.execute(insert(table), known)
        connection.execute(text("UPDATE catalogue_history SET number = number + 10"))

    SqlStorage(database).prepare()

    assert SqlStorage(database).catalogue.history() == (
        *history[:-1],
        replace(history[-1], comparison=None),
    )
