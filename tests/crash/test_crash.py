"""A few rounds of each task; `make crash` plays hundreds."""

from contextlib import closing
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

ROUNDS = 2


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Each kind of database."""
    if request.param == "sqlite":
        return SqliteFiles(tmp_path)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return PostgresqlDatabases(server)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_kill_leaves_either_the_old_or_the_new_data(
    task: type[Task], databases: Databases
) -> None:
    """Keys match their audit log; a catalogue is complete; so is a schema with its rows."""
    figures = Figures()

    with closing(task(databases)) as playing:
        for number in range(ROUNDS):
            play(playing, number, "few", databases, figures)

    assert figures.kills > 0
