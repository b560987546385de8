"""Read the audit log: who did what, latest first, a page at a time."""

from dataclasses import dataclass

from evref.domain.accounts.institution import AuditEntry
from evref.ports.audit import AuditLog


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some entries, latest first; pages count from 1, and there is always one."""

    entries: tuple[AuditEntry, ...]
    number: int
    pages: int


class ReadAuditLog:
    """What an institution's members may read."""

    ENTRIES_A_PAGE = 50

    def __init__(self, audit_log: AuditLog) -> None:
        self._audit_log = audit_log

    def __call__(self, institution_id: str, page: int) -> AuditPage:
        """The page with this number, or the nearest one that there is."""
        pages = max(1, -(-self._audit_log.count(institution_id) // self.ENTRIES_A_PAGE))
        number = min(max(page, 1), pages)
        entries = self._audit_log.entries(
            institution_id, skip=(number - 1) * self.ENTRIES_A_PAGE, most=self.ENTRIES_A_PAGE
        )
        return AuditPage(entries, number, pages)
