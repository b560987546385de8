"""Computes the geometry of the plot of a key's requests per day, for the template.

Lengths are in units of the drawing, which is 400 wide and 236 high and scales with the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from evref.domain.access.quota import DayUsage

DAYS = 30
LEFT, RIGHT, TOP, BOTTOM = 8, 392, 24, 190

_SLOT = (RIGHT - LEFT) / DAYS
_BAR = 0.7 * _SLOT
# A single request must stay visible with a limit of millions.
_LOWEST_BAR = 2.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: the admitted requests at the bottom, the refused requests above them."""

    x: float
    width: float
    admitted_y: float
    admitted_height: float
    refused_y: float
    refused_height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """The plot. `limit_path` shows the limit of each day, in SVG path syntax."""

    bars: tuple[Bar, ...]
    limit_path: str
    limit_y: float
    highest: int
    first: date
    middle: date
    middle_x: float
    last: date
    admitted: int
    refused: int
    busiest: DayUsage | None


def drawn(days: Sequence[DayUsage], today: date, limit: int) -> Plot:
    """Return the plot of the last 30 days up to today; `days` are the days with requests.

    The limit is not recorded on a day without requests. The plot then shows the limit of the next
    day on which it is known.
    """
    first = today - timedelta(days=DAYS - 1)
    by_day = {usage.day: usage for usage in days}
    limits: list[int] = []
    known = limit
    for offset in range(DAYS):
        usage = by_day.get(today - timedelta(days=offset))
        known = usage.limit if usage is not None and offset > 0 else known
        limits.insert(0, known)
    highest = max([*limits, *(usage.admitted + usage.refused for usage in days), 1])
    scale = (BOTTOM - TOP) / highest
    return Plot(
        bars=tuple(_bar(usage, (usage.day - first).days, scale) for usage in days),
        limit_path=_steps(limits, scale),
        limit_y=_rounded(BOTTOM - limit * scale),
        highest=highest,
        first=first,
        middle=first + timedelta(days=DAYS // 2),
        middle_x=_rounded(LEFT + (DAYS // 2 + 0.5) * _SLOT),
        last=today,
        admitted=sum(usage.admitted for usage in days),
        refused=sum(usage.refused for usage in days),
        busiest=max(days, key=lambda usage: usage.admitted + usage.refused, default=None),
    )


def _bar(usage: DayUsage, place: int, scale: float) -> Bar:
    admitted, refused = (
        max(count * scale, _LOWEST_BAR) if count else 0.0
        for count in (usage.admitted, usage.refused)
    )
    return Bar(
        x=_rounded(LEFT + place * _SLOT + (_SLOT - _BAR) / 2),
        width=_rounded(_BAR),
        admitted_y=_rounded(BOTTOM - admitted),
        admitted_height=_rounded(admitted),
        refused_y=_rounded(BOTTOM - admitted - refused),
        refused_height=_rounded(refused),
    )


def _steps(limits: Sequence[int], scale: float) -> str:
    path = ""
    for place, limit in enumerate(limits):
        y = _rounded(BOTTOM - limit * scale)
        command = "M" if place == 0 else "L"
        start, end = (_rounded(LEFT + (place + more) * _SLOT) for more in (0, 1))
        path += f"{command}{start} {y}L{end} {y}"
    return path


def _rounded(length: float) -> float:
    return round(length, 2)
