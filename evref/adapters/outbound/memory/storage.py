"""The storage in memory: its parts, its unit of work and its audit log, a list."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice

from evref.adapters.outbound.memory.access import (
    MemoryAdmission,
    MemoryKeyChanges,
    MemoryKeys,
    MemoryUsageReports,
)
from evref.adapters.outbound.memory.accounts import MemoryRecordChanges, MemoryRecords
from evref.adapters.outbound.memory.catalogue import (
    MemoryCatalogueChanges,
    MemoryPublishedCatalogue,
)
from evref.adapters.outbound.memory.state import MemoryPart, MemoryState
from evref.domain.audit import EVERYTHING, Action, AuditEntry, AuditFilter
from evref.domain.principal import Principal
from evref.ports.storage import AuditLog, Changes, Storage


class MemoryAuditLog(MemoryPart, AuditLog):
    def entries(
        self,
        institution_id: str | None,
        only: AuditFilter = EVERYTHING,
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> tuple[AuditEntry, ...]:
        with self._state.lock:
            newest_first = (
                entry
                for entry in reversed(self._state.audit)
                if entry.institution_id == institution_id and only.admits(entry)
            )
            return tuple(islice(newest_first, skip, None if most is None else skip + most))

    def gather(self, entries: Sequence[AuditEntry]) -> None:
        with self._state.lock:
            for entry in entries:
                _append(self._state.audit, entry)

    def remove_older(self, actions: Collection[Action], instant: datetime) -> None:
        with self._state.lock:
            self._state.audit = [
                entry
                for entry in self._state.audit
                if entry.action not in actions or entry.at >= instant
            ]


class MemoryStorage(Storage):
    def __init__(self) -> None:
        state = MemoryState()
        self.state = state
        self.catalogue = MemoryPublishedCatalogue(state)
        self.keys = MemoryKeys(state)
        self.admission = MemoryAdmission(state)
        self.usage = MemoryUsageReports(state)
        self.records = MemoryRecords(state)
        self.audit = MemoryAuditLog(state)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with self.state.lock:
            copy = self.state.copy()
            changes = Changes(
                principal,
                instant,
                MemoryKeyChanges(copy),
                MemoryRecordChanges(copy),
                MemoryCatalogueChanges(copy),
            )
            yield changes
            for entry in changes.entries:
                _append(copy.audit, entry)
            self.state.replace_with(copy)

    def prepare(self) -> None:
        pass

    def verify(self) -> None:
        pass

    def ping(self) -> None:
        pass

    def close(self) -> None:
        pass


def _append(log: list[AuditEntry], entry: AuditEntry) -> None:
    """Add an entry to the log, or its times to the one that it is gathered with."""
    if entry.times is not None:
        for index, stored in enumerate(log):
            if stored.times is not None and stored.is_gathered_with(entry):
                log[index] = replace(stored, times=stored.times + entry.times)
                return
    log.append(entry)
