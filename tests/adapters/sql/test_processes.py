"""The database is shared by processes that know nothing of each other."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.access.permission import Permission
from evref.testing.builders import NOON, a_key
from evref.testing.filling import keep_institutions, keep_key

ROOT = Path(__file__).parents[3]
TODAY = NOON.date()

PREPARE = """
import sys
from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
database = SqlDatabase(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
SqlStorage(database).prepare()
SqlStorage(database).verify()
database.close()
"""


def together(processes: int, *arguments: str) -> list[str]:
    """What so many Python processes print that begin their work at the same moment."""
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, *arguments],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(processes)
        ]
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=30) for process in started]
        assert [error for _, error in answers] == [""] * processes
        assert [process.returncode for process in started] == [0] * processes
    return [output for output, _ in answers]


def test_several_processes_may_prepare_a_new_database_at_once(url: str) -> None:
    """One of them does it, the others find it done; nobody fails, and nothing is printed."""
    assert together(3, "-c", PREPARE, url) == [""] * 3


def test_a_forked_process_counts_on_connections_of_its_own(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    """The parent closes its connections before it forks, as the server does."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key(limit=10))
    storage.admission.admit(digest, Permission.READ, NOON)
    database.close()

    child = os.fork()
    if child == 0:
        answer = 0
        try:
            answer = storage.admission.admit(digest, Permission.READ, NOON).admitted
        finally:
            # Whatever happens, the child must not go on with the tests that follow.
            os._exit(answer)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 2
    assert storage.admission.admit(digest, Permission.READ, NOON).admitted == 3
    SqlStorage(database).ping()
