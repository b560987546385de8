"""The storage in memory: its parts and its unit of work. It needs no preparation."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from evref.adapters.outbound.memory.access import (
    MemoryAdmission,
    MemoryKeyChanges,
    MemoryKeys,
    MemoryUsageReports,
)
from evref.adapters.outbound.memory.accounts import MemoryRecordChanges, MemoryRecords
from evref.adapters.outbound.memory.audit import MemoryAuditLog, append
from evref.adapters.outbound.memory.catalogue import (
    MemoryCatalogueChanges,
    MemoryPublishedCatalogue,
)
from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.principal import Principal
from evref.ports.storage import Changes, Storage


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
                append(copy.audit, entry)
            self.state.replace_with(copy)

    def prepare(self) -> None:
        pass

    def verify(self) -> None:
        pass

    def ping(self) -> None:
        pass

    def close(self) -> None:
        pass
