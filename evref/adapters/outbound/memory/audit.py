"""The audit log as an append-only list."""

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.audit import EVERYTHING, AuditEntry, AuditFilter
from evref.ports import audit


class MemoryAuditLog(MemoryPart, audit.AuditLog):
    def entries(
        self,
        institution_id: str | None,
        only: AuditFilter = EVERYTHING,
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> tuple[AuditEntry, ...]:
        found = self._of(institution_id, only)
        # Reversed last: among entries of the same instant, the newest comes first.
        found.sort(key=lambda entry: entry.at)
        found.reverse()
        return tuple(found[skip : None if most is None else skip + most])

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
