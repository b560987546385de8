"""The record of changes; stores write it with each change, this reads it."""

from abc import ABC, abstractmethod

from evref.domain.accounts.institution import AuditEntry


class AuditLog(ABC):
    """Tells what was done, by whom and when. Nothing in it is ever changed or removed."""

    @abstractmethod
    def entries(
        self, institution_id: str, *, skip: int = 0, most: int | None = None
    ) -> tuple[AuditEntry, ...]:
        """An institution's entries, latest first: without the first `skip`, and `most` of the rest.

        All of the rest where `most` is None.
        """

    @abstractmethod
    def count(self, institution_id: str) -> int:
        """How many entries an institution has; 0 for one that nobody knows."""
