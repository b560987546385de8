"""The audit log as a list."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.audit import EVERYTHING, Action, AuditEntry, AuditFilter
from evref.ports import storage


class MemoryAuditLog(MemoryPart, storage.AuditLog):
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
                append(self._state.audit, entry)

    def remove_older(self, actions: Collection[Action], instant: datetime) -> None:
        with self._state.lock:
            self._state.audit = [
                entry
                for entry in self._state.audit
                if entry.action not in actions or entry.at >= instant
            ]


def append(log: list[AuditEntry], entry: AuditEntry) -> None:
    """Add an entry to the log, or its times to the one that it is gathered with."""
    if entry.times is not None:
        for index, stored in enumerate(log):
            if stored.times is not None and stored.is_gathered_with(entry):
                log[index] = replace(stored, times=stored.times + entry.times)
                return
    log.append(entry)
