"""The record of changes. A unit of work writes it; this port reads it."""

from abc import ABC, abstractmethod

from evref.domain.audit import AuditEntry


class AuditLog(ABC):
    """Who changed what, and when. Entries are never changed or removed."""

    @abstractmethod
    def entries(
        self, institution_id: str | None, *, skip: int = 0, most: int | None = None
    ) -> tuple[AuditEntry, ...]:
        """Return an institution's entries, newest first: at most `most`, after the first `skip`.

        With `most` None, all entries after the first `skip`. The institution None stands for the
        whole service, whose entries belong to no institution.
        """

    @abstractmethod
    def count(self, institution_id: str | None) -> int:
        """Return the number of these entries; 0 if the institution is unknown."""
