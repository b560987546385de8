"""The daily request limit: remaining requests, the time of the reset, and the counts of a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from evref.domain.errors import EvrefError
from evref.domain.rules import counted

SECONDS_A_DAY = 86_400
DEFAULT_DAILY_LIMIT = 1000
HIGHEST_DAILY_LIMIT = 10_000_000
USAGE_RETENTION_DAYS = 400
"""The number of days for which a count is stored: a year for comparison, and about a month more."""
DAILY_LIMIT_RULE = f"must be a whole number from 0 to {HIGHEST_DAILY_LIMIT:,}"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def utc_day(instant: datetime) -> date:
    """Return the day over which a key's requests are counted; the instant has a time zone."""
    return instant.astimezone(UTC).date()


@dataclass(frozen=True, slots=True)
class Quota:
    """A key's quota at an instant. `admitted` is the number of requests on that UTC day."""

    key_id: str
    limit: int
    admitted: int
    instant: datetime

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.admitted)

    @property
    def resets_at(self) -> int:
        """The end of the day, when the count starts again from zero, in Unix time (seconds)."""
        return (utc_day(self.instant).toordinal() - _EPOCH.toordinal() + 1) * SECONDS_A_DAY

    @property
    def seconds_left(self) -> int:
        """The seconds to the end of the day, 1 to 86,400, rounded up."""
        # Computed without floats, which would round microseconds in distant years.
        return self.resets_at - (self.instant - _EPOCH) // _SECOND


class QuotaExceededError(EvrefError):
    def __init__(self, quota: Quota) -> None:
        self.quota = quota
        limit = counted(quota.limit, "request")
        super().__init__(f"The limit is {limit} a day. The next day begins at 00:00 UTC.")


@dataclass(frozen=True, slots=True)
class DayUsage:
    """Requests of one key on one UTC day; `limit` is the daily limit at the last of them."""

    day: date
    limit: int
    admitted: int
    refused: int
