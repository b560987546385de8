"""The audit log as an append-only list."""

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.audit import EVERYTHING, AuditEntry, AuditFilter
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
        newest_first = self._of(institution_id, only)[::-1]
        return tuple(newest_first[skip : None if most is None else skip + most])

    def count(self, institution_id: str | None, only: AuditFilter = EVERYTHING) -> int:
        return len(self._of(institution_id, only))

    def actors(self, institution_id: str | None) -> frozenset[str]:
        return frozenset(entry.actor for entry in self._of(institution_id, EVERYTHING))

    def _of(self, institution_id: str | None, only: AuditFilter) -> list[AuditEntry]:
        with self._state.lock:
            return [
                entry
                for entry in self._state.audit
                if entry.institution_id == institution_id and only.admits(entry)
            ]
