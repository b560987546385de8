"""The database is shared by processes that know nothing of each other."""

import os

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.access.permission import Permission
from evref.testing.builders import NOON, a_key
from evref.testing.filling import keep_institutions, keep_key


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
