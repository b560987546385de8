"""The daily request limit: the window of an instant, remaining requests, and the reset."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from evref.domain.errors import EvrefError

SECONDS_A_DAY = 86_400
DEFAULT_DAILY_LIMIT = 1000
HIGHEST_DAILY_LIMIT = 10_000_000
USAGE_RETENTION_DAYS = 400
"""How many days a count is stored: a year for comparison, and a month more."""
DAILY_LIMIT_RULE = f"must be a whole number from 0 to {HIGHEST_DAILY_LIMIT:,}"


@dataclass(frozen=True, slots=True)
class DailyWindow:
    """A calendar day in UTC, over which a key's requests are counted."""

    day: date

    @classmethod
    def of(cls, instant: datetime) -> DailyWindow:
        """Return the window of an instant, which must have a time zone."""
        return cls(instant.astimezone(UTC).date())

    @property
    def ends_at(self) -> int:
        """The end of the window, when the count resets, in Unix time (seconds)."""
        return (self.day.toordinal() - _EPOCH.toordinal() + 1) * SECONDS_A_DAY

    def seconds_left(self, instant: datetime) -> int:
        """Return the seconds from an instant of this window to its end, 1 to 86,400, rounded up."""
        # Without floats, which would round microseconds in distant years.
        return self.ends_at - (instant - _EPOCH) // _SECOND


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one key on one day, including this request.

    `admitted` is the number of admitted requests, at most the limit at the time; `was_admitted` is
    whether this request was admitted.
    """

    key_id: str
    limit: int
    admitted: int
    was_admitted: bool


@dataclass(frozen=True, slots=True)
class QuotaStatus:
    """The state of a key's quota after a request, as reported to the client."""

    key_id: str
    limit: int
    remaining: int
    resets_at: int
    seconds_left: int

    @classmethod
    def after(cls, tally: Tally, instant: datetime) -> QuotaStatus:
        """Return the status after a tally. `remaining` is 0 if the limit is below the count."""
        window = DailyWindow.of(instant)
        return cls(
            key_id=tally.key_id,
            limit=tally.limit,
            remaining=max(0, tally.limit - tally.admitted),
            resets_at=window.ends_at,
            seconds_left=window.seconds_left(instant),
        )


class QuotaExceededError(EvrefError):
    """Indicates that the daily request limit of the key is used up."""

    def __init__(self, status: QuotaStatus) -> None:
        self.status = status
        super().__init__(
            f"The limit is {status.limit} requests a day. The next day begins at 00:00 UTC."
        )


@dataclass(frozen=True, slots=True)
class DayUsage:
    """Requests of one key on one UTC day, admitted and refused.

    `limit` is the daily limit at the last request of the day.
    """

    day: date
    limit: int
    admitted: int
    refused: int
