"""The record of changes; stores write it with each change, this reads it."""

from abc import ABC, abstractmethod

from evref.domain.institution import AuditEntry


class AuditLog(ABC):
    """Tells what was done, by whom and when. Nothing in it is ever changed or removed."""

    @abstractmethod
    def entries(self, institution_id: str) -> tuple[AuditEntry, ...]:
        """An institution's entries, latest first."""
