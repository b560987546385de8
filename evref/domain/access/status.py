"""The status of a key, which its holder can read without using up the limit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from evref.domain.access.permission import Permission
from evref.domain.access.quota import DailyWindow, QuotaStatus, Tally


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """An active key and its counts on the UTC day of `instant`, the time at which they were read.

    `used` requests were admitted that day, and `refused` were not, because the limit was used up.
    """

    key_id: str
    permission: Permission
    expires_on: date | None
    limit: int
    used: int
    refused: int
    instant: datetime

    @property
    def quota(self) -> QuotaStatus:
        """The same counts, as every response reports them."""
        tally = Tally(self.key_id, self.limit, self.used, was_admitted=False)
        return QuotaStatus.after(tally, DailyWindow.of(self.instant), self.instant)

    @property
    def remaining(self) -> int:
        """The number of requests that remain that day; 0 if the limit is below the use."""
        return self.quota.remaining

    @property
    def resets_at(self) -> datetime:
        """The time at which the counts start again from zero, in UTC."""
        return datetime.fromtimestamp(self.quota.resets_at, UTC)
