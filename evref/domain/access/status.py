"""The status of a key, which its holder can read without using up the limit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.access.quota import DayUsage, QuotaStatus, Tally


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

    @classmethod
    def of(cls, key: ApiKey, use: DayUsage | None, instant: datetime) -> KeyStatus:
        """Return the status of a key with its use of that day, None if there was no request."""
        used, refused = (0, 0) if use is None else (use.admitted, use.refused)
        limit = key.daily_limit
        return cls(key.id, key.permission, key.expires_on, limit, used, refused, instant)

    @property
    def quota(self) -> QuotaStatus:
        """The same counts, as every response reports them."""
        tally = Tally(self.key_id, self.limit, self.used, was_admitted=False)
        return QuotaStatus.after(tally, self.instant)

    @property
    def remaining(self) -> int:
        """The number of requests that remain that day; 0 if the limit is below the use."""
        return self.quota.remaining

    @property
    def resets_at(self) -> datetime:
        """The time at which the counts start again from zero, in UTC."""
        return datetime.fromtimestamp(self.quota.resets_at, UTC)
