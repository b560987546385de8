"""The record of changes. Stores write it with each change; this port reads it."""

from abc import ABC, abstractmethod

from evref.domain.accounts.institution import AuditEntry


class AuditLog(ABC):
    """Who changed what, and when. Entries are never changed or removed."""

    @abstractmethod
    def entries(
        self, institution_id: str, *, skip: int = 0, most: int | None = None
    ) -> tuple[AuditEntry, ...]:
        """Return an institution's entries, newest first: at most `most`, after the first `skip`.

        With `most` None, all entries after the first `skip`.
        """

    @abstractmethod
    def count(self, institution_id: str) -> int:
        """Return the number of an institution's entries; 0 if the institution is unknown."""
