"""The daily request limit: which window an instant falls in, what remains, when it resets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from evref.domain.errors import EvrefError

SECONDS_A_DAY = 86_400
DEFAULT_DAILY_LIMIT = 1000
HIGHEST_DAILY_LIMIT = 10_000_000
USAGE_RETENTION_DAYS = 400
"""How many days after its day a count is kept: a year to compare with, and a month more."""
DAILY_LIMIT_RULE = f"must be a whole number from 0 to {HIGHEST_DAILY_LIMIT}"


@dataclass(frozen=True, slots=True)
class DailyWindow:
    """A calendar day in UTC, over which a key's requests are counted."""

    day: date

    @classmethod
    def of(cls, instant: datetime) -> DailyWindow:
        """The window that an instant falls in; the instant must know its time zone."""
        return cls(instant.astimezone(UTC).date())

    @property
    def ends_at(self) -> int:
        """When the window ends and the count starts anew, in Unix time (seconds)."""
        return (self.day - _EPOCH).days * SECONDS_A_DAY + SECONDS_A_DAY

    def seconds_left(self, instant: datetime) -> int:
        """Whole seconds from an instant of this window to its end: 1 to 86,400, rounded up."""
        # Without its fraction, which would be rounded in a year far off.
        return self.ends_at - int(instant.replace(microsecond=0).timestamp())


_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Tally:
    """What storage counted for one key and one day, this request included.

    `admitted` is how many requests were let through, never more than `limit` was at the time;
    `was_admitted` says whether this one was.
    """

    key_id: str
    limit: int
    admitted: int
    was_admitted: bool


@dataclass(frozen=True, slots=True)
class QuotaStatus:
    """Where a key stands after a request, as its holder is told."""

    key_id: str
    limit: int
    remaining: int
    resets_at: int
    seconds_left: int

    @classmethod
    def after(cls, tally: Tally, window: DailyWindow, instant: datetime) -> QuotaStatus:
        """The status that follows from a tally. A limit lowered below use leaves 0, never less."""
        return cls(
            key_id=tally.key_id,
            limit=tally.limit,
            remaining=max(0, tally.limit - tally.admitted),
            resets_at=window.ends_at,
            seconds_left=window.seconds_left(instant),
        )


class QuotaExceededError(EvrefError):
    """Indicates that the key's daily request limit is used up."""

    def __init__(self, status: QuotaStatus) -> None:
        self.status = status
        super().__init__(
            f"The limit is {status.limit} requests a day. The next day begins at 00:00 UTC."
        )


@dataclass(frozen=True, slots=True)
class DayUsage:
    """Requests of one key on one UTC day: those let through, those refused over the limit.

    `limit` is the daily limit in force at the day's last request.
    """

    day: date
    limit: int
    admitted: int
    refused: int
