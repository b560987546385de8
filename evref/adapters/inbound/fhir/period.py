"""The values of date parameters (R4, search, date)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_DATE = re.compile(r"(eq|ne|gt|lt|ge|le|sa|eb)?(([0-9]{4})(-[0-9]{2})?(-[0-9]{2})?(T[^ ]{5,40})?)")


@dataclass(frozen=True, slots=True)
class Period:
    """A prefix, such as `ge`, and the time from `start` until before `end`."""

    prefix: str
    start: datetime
    end: datetime

    @staticmethod
    def parse(text: str) -> "Period":
        """Read a date or a time, which is in UTC unless it has a time zone.

        Raises:
            ValueError, OverflowError: If the text is neither.

        """
        # A plus sign that is not percent-encoded arrives as a space.
        match = _DATE.fullmatch(text.replace(" ", "+"))
        if match is None:
            raise ValueError
        prefix, whole, year, month, day, time = match.groups()
        start = datetime.fromisoformat(whole if time else f"{year}{month or '-01'}{day or '-01'}")
        # Resources have the time of their last change to the second.
        start = start.replace(microsecond=0, tzinfo=start.tzinfo or UTC)
        if time:
            end = start + timedelta(seconds=1 if time[6:7] == ":" else 60)
        elif day:
            end = start + timedelta(days=1)
        elif month:
            end = (start + timedelta(days=31)).replace(day=1)
        else:
            end = start.replace(year=start.year + 1)
        return Period(prefix or "eq", start, end)

    def admits(self, time: datetime) -> bool:
        second = time.replace(microsecond=0)
        is_within = self.start <= second < self.end
        return {
            "eq": is_within,
            "ne": not is_within,
            "gt": second >= self.end,
            "sa": second >= self.end,
            "ge": second >= self.start,
            "lt": second < self.start,
            "eb": second < self.start,
            "le": second < self.end,
        }[self.prefix]
