"""The record of changes; stores write it with each change, this reads it."""

from abc import ABC, abstractmethod

from evref.domain.audit import AuditEntry


class AuditLog(ABC):
    """Tells what was done, by whom and when. Nothing in it is ever changed or removed."""

    @abstractmethod
    def entries(
        self, institution_id: str | None, *, skip: int = 0, most: int | None = None
    ) -> tuple[AuditEntry, ...]:
        """An institution's entries, latest first: without the first `skip`, and `most` of the rest.

        All of the rest where `most` is None. The institution None stands for the whole service:
        its entries are those that belong to no institution.
        """

    @abstractmethod
    def count(self, institution_id: str | None) -> int:
        """How many entries those are; 0 for an institution that nobody knows."""
