"""A few rounds of each; `make crash` plays hundreds."""

from pathlib import Path

import pytest

from tests.crash.rounds import (
    TASKS,
    Databases,
    Figures,
    PostgresqlDatabases,
    SqliteFiles,
    Task,
    play,
)
from tests.servers import PostgresqlServer

ROUNDS = 4


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Each kind in turn."""
    if request.param == "sqlite":
        return SqliteFiles(tmp_path)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return PostgresqlDatabases(server)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_what_is_killed_leaves_all_as_it_was_or_as_it_was_to_become(
    task: type[Task], databases: Databases
) -> None:
    """Keys agree with their log, a catalogue is whole, and so is a schema with its rows."""
    playing, figures = task(databases), Figures()

    for number in range(ROUNDS):
        play(playing, number, "few", databases, figures)

    assert figures.kills > 0
