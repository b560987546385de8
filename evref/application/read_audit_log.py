"""Read the audit log, newest entries first, by page."""

from dataclasses import dataclass

from evref.domain.audit import EVERYTHING, AuditEntry, AuditFilter
from evref.domain.principal import Principal, Right, authorise_in
from evref.ports.storage import AuditLog


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of entries, newest first. Pages count from 1; there is at least one."""

    entries: tuple[AuditEntry, ...]
    number: int
    pages: int


@dataclass(eq=False)
class ReadAuditLog:
    """Returns the log of an institution to principals who may read it."""

    ENTRIES_A_PAGE = 50

    audit_log: AuditLog

    def __call__(
        self,
        principal: Principal,
        institution_id: str,
        page: int,
        only: AuditFilter = EVERYTHING,
    ) -> AuditPage:
        """Return the page with this number, or the nearest existing one.

        Raises:
            NotFoundError: If the institution is not the member's own.
            NotAllowedError: If the principal may not read it.

        """
        self._authorise(principal, institution_id)
        pages = max(1, -(-self.audit_log.count(institution_id, only) // self.ENTRIES_A_PAGE))
        number = min(max(page, 1), pages)
        entries = self.audit_log.entries(
            institution_id, only, skip=(number - 1) * self.ENTRIES_A_PAGE, most=self.ENTRIES_A_PAGE
        )
        return AuditPage(entries, number, pages)

    def whole(
        self, principal: Principal, institution_id: str, only: AuditFilter
    ) -> tuple[AuditEntry, ...]:
        """Return all entries of the filter, newest first.

        Raises:
            NotFoundError, NotAllowedError: As for a page.

        """
        self._authorise(principal, institution_id)
        return self.audit_log.entries(institution_id, only)

    def actors(self, principal: Principal, institution_id: str) -> tuple[str, ...]:
        """Return who has made entries, in alphabetical order.

        Raises:
            NotFoundError, NotAllowedError: As for a page.

        """
        self._authorise(principal, institution_id)
        return tuple(sorted(self.audit_log.actors(institution_id)))

    def _authorise(self, principal: Principal, institution_id: str) -> None:
        authorise_in(institution_id, principal, Right.READ_AUDIT_LOG)
