"""Counts refused sign-ins in the audit log, at a bounded rate of writes."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from threading import Lock

from evref.domain.audit import Action, AuditEntry
from evref.domain.errors import StorageUnavailableError
from evref.ports.storage import AuditLog
from evref.ports.system import Clock


class RefusedSignIns:
    """Counts refused sign-ins by hour and address.

    A write takes the write lock of the database, which admission needs too. So a few refusals are
    written at once, but many are collected in memory and added to the next write. Each process has
    a token bucket of `MOST_WRITES` writes, to which every second adds one.
    """

    MOST_WRITES = 20

    def __init__(self, audit_log: AuditLog, clock: Clock) -> None:
        self._audit_log = audit_log
        self._clock = clock
        self._lock = Lock()
        self._bucket_full_at = float("-inf")
        # The key includes the address, so that addresses without a member need as many rows.
        self._pending: Counter[tuple[AuditEntry, str]] = Counter()

    def add(self, email: str, *institution_ids: str) -> None:
        """Count a refused sign-in with this address in the logs of these institutions.

        Without an institution, it is counted for all addresses without a member together:
        otherwise the time that it takes would reveal who is a member.
        """
        hour = self._clock.now().replace(minute=0, second=0, microsecond=0)
        detail = f"from {hour:%H:%M} to {hour + timedelta(hours=1):%H:%M} UTC"
        actor = email if institution_ids else "unknown"
        with self._lock:
            for institution_id in institution_ids or (None,):
                entry = AuditEntry(
                    hour, institution_id, actor, Action.SIGN_IN_REFUSED, None, detail, times=1
                )
                self._pending[entry, email] += 1
            may_write = self._take_from_bucket()
        if may_write:
            self.write()

    def write(self) -> None:
        """Write what is pending. If storage is unavailable, it remains pending."""
        if not self._pending:
            return
        with self._lock:
            pending, self._pending = self._pending, Counter()
        entries = [replace(entry, times=times) for (entry, _), times in pending.items()]
        try:
            self._audit_log.gather(entries)
        except StorageUnavailableError:
            with self._lock:
                # The addresses are dropped, so that the memory is limited.
                for entry in entries:
                    self._pending[replace(entry, times=1), ""] += entry.times or 0

    def _take_from_bucket(self) -> bool:
        """Take a write from the bucket, and return whether there was one."""
        now = self._clock.monotonic()
        full_at = max(self._bucket_full_at, now) + 1
        if full_at > now + self.MOST_WRITES:
            return False
        self._bucket_full_at = full_at
        return True
