"""The geometry of the plot of a key's requests."""

from datetime import date, timedelta

import pytest

from evref.adapters.inbound.pages.settings.plot import BOTTOM, TOP, Plot, drawn
from evref.domain.access.quota import DayUsage

TODAY = date(2026, 11, 20)


def plotted(*days: DayUsage, limit: int = 1000) -> Plot:
    return drawn(days, last=TODAY, count=30, limit=limit)


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


def test_the_present_limit_is_drawn() -> None:
    """Whatever it was on the days that are shown."""
    plot = plotted(DayUsage(ago(20), 400, 1, 0), limit=1000)

    assert plot.limit_y == TOP
