"""Read the audit log: who did what, latest first, a page at a time."""

from dataclasses import dataclass

from evref.domain.access.principal import Principal, Right, authorise_in
from evref.domain.audit import AuditEntry
from evref.domain.errors import NotFoundError
from evref.ports.audit import AuditLog


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some entries, latest first; pages count from 1, and there is always one."""

    entries: tuple[AuditEntry, ...]
    number: int
    pages: int


class ReadAuditLog:
    """Shows an institution's log to those who may read it."""

    ENTRIES_A_PAGE = 50

    def __init__(self, audit_log: AuditLog) -> None:
        self._audit_log = audit_log

    def __call__(self, principal: Principal, institution_id: str, page: int) -> AuditPage:
        """The page with this number, or the nearest one that there is.

        Raises:
            NotFoundError: when the institution is not the member's own.
            NotAllowedError: when the principal has no right to read it.

        """
        unseen = NotFoundError("institution", institution_id)
        authorise_in(institution_id, principal, Right.READ_AUDIT_LOG, unseen=unseen)
        pages = max(1, -(-self._audit_log.count(institution_id) // self.ENTRIES_A_PAGE))
        number = min(max(page, 1), pages)
        entries = self._audit_log.entries(
            institution_id, skip=(number - 1) * self.ENTRIES_A_PAGE, most=self.ENTRIES_A_PAGE
        )
        return AuditPage(entries, number, pages)
