"""The record of changes. A unit of work writes it; this port reads it."""

from abc import ABC, abstractmethod

from evref.domain.audit import EVERYTHING, AuditEntry, AuditFilter


class AuditLog(ABC):
    """Who changed what, and when. Entries are never changed or removed."""

    @abstractmethod
    def entries(
        self,
        institution_id: str | None,
        only: AuditFilter = EVERYTHING,
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Return an institution's entries of the filter, newest first: at most `most`, after the
        first `skip`.

        With `most` None, all entries after the first `skip`. The institution None stands for the
        whole service, whose entries belong to no institution.
        """

    @abstractmethod
    def count(self, institution_id: str | None, only: AuditFilter = EVERYTHING) -> int:
        """Return the number of these entries; 0 if the institution is unknown."""

    @abstractmethod
    def actors(self, institution_id: str | None) -> frozenset[str]:
        """Return the actors of these entries, with any filter."""
