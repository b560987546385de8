"""The geometry of the plot of a key's requests."""

from datetime import date, timedelta

import pytest

from evref.adapters.inbound.pages.settings.plot import BOTTOM, TOP, Plot, drawn
from evref.domain.access.quota import DayUsage

TODAY = date(2026, 11, 20)


def plotted(
    *days: DayUsage, limit: int = 1000, count: int = 30, created_on: date = date(2026, 1, 1)
) -> Plot:
    return drawn(days, last=TODAY, count=count, limit=limit, created_on=created_on)


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


@pytest.mark.parametrize(
    ("limit", "values"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (3, [0, 1, 2, 3]),
        (7, [0, 2, 4, 6, 8]),
        (200, [0, 50, 100, 150, 200]),
        (1000, [0, 200, 400, 600, 800, 1000]),
        (1001, [0, 500, 1000, 1500]),
        (10_000_000, [0, 2_000_000, 4_000_000, 6_000_000, 8_000_000, 10_000_000]),
    ],
)
def test_the_y_axis_has_round_values(limit: int, values: list[int]) -> None:
    """From nothing at the bottom to the highest at the top."""
    rows = plotted(limit=limit).rows

    assert [value for value, _ in rows] == values
    assert (rows[0][1], rows[-1][1]) == (BOTTOM, TOP)


def test_bars_stay_below_the_top_of_the_axis() -> None:
    """Refused requests stand above the admitted ones, also over the limit."""
    (bar,) = plotted(DayUsage(ago(0), limit=10, admitted=10, refused=13), limit=10).bars

    assert bar.admitted_y + bar.admitted_height == BOTTOM
    assert bar.refused_y + bar.refused_height == pytest.approx(bar.admitted_y)
    assert bar.refused_y >= TOP
    assert bar.refused_height / bar.admitted_height == pytest.approx(1.3, abs=0.001)


def test_the_limit_is_drawn_as_it_was_each_day() -> None:
    """On a day without requests it is that of the next day on which it is known."""
    plot = plotted(
        DayUsage(ago(20), 400, 1, 0),
        DayUsage(ago(10), 800, 1, 0),
        DayUsage(ago(0), 800, 1, 0),
        limit=1000,
    )

    def y(limit: int) -> float:
        return BOTTOM - limit * (BOTTOM - TOP) / 1000

    flat = [(line.y1, round(line.x2 * 0.3) - 30) for line in plot.limit if line.y1 == line.y2]
    assert flat == [(y(400), -20), (y(800), -10), (y(1000), 0)]
    assert all(
        before.x2 == after.x1 and before.y2 == after.y1
        for before, after in zip(plot.limit, plot.limit[1:], strict=False)
    )
