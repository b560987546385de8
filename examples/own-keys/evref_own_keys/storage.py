"""A storage whose keys and counts are in a SQLite file; all else is in another storage."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from evref.domain.errors import StorageNotReadyError, StorageUnavailableError
from evref.domain.principal import Principal
from evref.ports.storage import Changes, DelegatingStorage, Storage
from evref_own_keys.counts import OwnAdmission, OwnUsageReports
from evref_own_keys.database import Database
from evref_own_keys.keys import OwnKeyChanges, OwnKeys


class OwnKeysStorage(DelegatingStorage):
    """Replaces three parts of the other storage."""

    def __init__(self, rest: Storage, file: Path) -> None:
        super().__init__(rest)
        self._database = Database(file)
        self.keys = OwnKeys(self._database.connect)
        self.admission = OwnAdmission(self._database)
        self.usage = OwnUsageReports(self._database)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        # Two databases do not commit as one. The other storage, which has the audit log, commits
        # first: an entry too many, after a crash in between, is better than one too few.
        with (
            self._database.transaction() as connection,
            self.rest.changes(principal, instant) as changes,
        ):
            yield replace(changes, keys=OwnKeyChanges(connection, self.records))

    def prepare(self) -> None:
        super().prepare()
        self._database.prepare()

    def verify(self) -> None:
        super().verify()
        try:
            self.keys.list()
        except StorageUnavailableError as error:
            raise StorageNotReadyError("There are no tables for keys; run: evref init") from error

    def ping(self) -> None:
        super().ping()
        with self._database.transaction():
            """The write lock is free."""
