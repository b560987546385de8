"""The geometry of the plot of a key's requests per day, for the template.

Widths are percentages, so that the plot fits every screen; heights and text are in pixels, so that
text keeps its size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from evref.domain.access.quota import DayUsage

DAYS = (30, 90)
"""The numbers of days that can be shown."""

TOP, BOTTOM = 48, 228
_MOST_STEPS = 5
_BAR = 0.7
# A single request must be visible even if the axis goes to millions.
_LOWEST_BAR = 2.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: the admitted requests at the bottom, the refused requests above them.

    `slot_x` and `slot_width` locate the whole column of the day.
    """

    usage: DayUsage
    slot_x: float
    slot_width: float
    x: float
    width: float
    admitted_y: float
    admitted_height: float
    refused_y: float
    refused_height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """`rows` are the values of the y axis with their positions, `columns` the days of the x axis.
    `limit_y` is the position of the line for the present daily limit.
    """

    bars: tuple[Bar, ...]
    limit_y: float
    rows: tuple[tuple[int, float], ...]
    columns: tuple[tuple[date, float], ...]
    busiest: DayUsage | None


def drawn(days: Sequence[DayUsage], *, last: date, count: int, limit: int) -> Plot:
    """Return the plot of `count` days up to the last one; `days` are the days with requests."""
    first = last - timedelta(days=count - 1)
    highest = max([limit, *(usage.admitted + usage.refused for usage in days), 1])
    step = _step(highest)
    steps = -(-highest // step)
    scale = (BOTTOM - TOP) / (steps * step)
    slot = 100 / count
    week = 7 if count == DAYS[0] else 28
    return Plot(
        bars=tuple(_bar(usage, (usage.day - first).days, slot, scale) for usage in days),
        limit_y=_rounded(BOTTOM - limit * scale),
        rows=tuple((n * step, _rounded(BOTTOM - n * step * scale)) for n in range(steps + 1)),
        columns=tuple(
            (last - timedelta(days=back), _rounded((count - back - 0.5) * slot))
            for back in range(0, count, week)
        ),
        busiest=max(days, key=lambda usage: usage.admitted + usage.refused, default=None),
    )


def _step(highest: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 … that divides the axis into few steps."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power * _MOST_STEPS >= highest:
                return factor * power
        power *= 10


def _bar(usage: DayUsage, place: int, slot: float, scale: float) -> Bar:
    admitted, refused = (
        max(count * scale, _LOWEST_BAR) if count else 0.0
        for count in (usage.admitted, usage.refused)
    )
    return Bar(
        usage=usage,
        slot_x=_rounded(place * slot),
        slot_width=_rounded(slot),
        x=_rounded((place + (1 - _BAR) / 2) * slot),
        width=_rounded(_BAR * slot),
        admitted_y=_rounded(BOTTOM - admitted),
        admitted_height=_rounded(admitted),
        refused_y=_rounded(BOTTOM - admitted - refused),
        refused_height=_rounded(refused),
    )


def _rounded(length: float) -> float:
    return round(length, 3)
