"""Read the audit log, newest entries first, by page."""

from dataclasses import dataclass

from evref.domain.audit import EVERYTHING, AuditEntry, AuditFilter
from evref.domain.principal import Principal, Right, authorise_in
from evref.ports.storage import AuditLog


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of entries, newest first, and whether older ones follow. Pages count from 1."""

    entries: tuple[AuditEntry, ...]
    number: int
    has_older: bool


@dataclass(eq=False)
class ReadAuditLog:
    ENTRIES_A_PAGE = 50
    MOST_ENTRIES = 20_000

    audit_log: AuditLog

    def __call__(
        self,
        principal: Principal,
        institution_id: str,
        page: int,
        only: AuditFilter = EVERYTHING,
    ) -> AuditPage:
        """Return the page with this number, or the first page if it does not exist.

        Pages are not counted, because counting takes long if many people sign in.
        """
        authorise_in(institution_id, principal, Right.SEE)
        size = self.ENTRIES_A_PAGE
        skip = (max(page, 1) - 1) * size
        entries = self.audit_log.entries(institution_id, only, skip=skip, most=size + 1)
        if skip and not entries:
            return self(principal, institution_id, 1, only)
        return AuditPage(entries[:size], skip // size + 1, len(entries) > size)

    def whole(
        self, principal: Principal, institution_id: str, only: AuditFilter
    ) -> tuple[AuditEntry, ...]:
        """Return at most `MOST_ENTRIES`, newest first."""
        authorise_in(institution_id, principal, Right.SEE)
        return self.audit_log.entries(institution_id, only, most=self.MOST_ENTRIES)
