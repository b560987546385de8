"""The audit log, as a list that only grows."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.institution import AuditEntry
from evref.ports import audit


class MemoryAuditLog(audit.AuditLog):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def entries(self, institution_id: str) -> tuple[AuditEntry, ...]:
        with self._state.lock:
            found = [e for e in self._state.audit if e.institution_id == institution_id]
        # Reversed last: of entries of one instant, the one that was written last leads.
        found.sort(key=lambda entry: entry.at)
        return tuple(reversed(found))
