"""The plot of a key's requests."""

import re
from datetime import date, timedelta

import pytest

from evref.adapters.inbound.pages.settings.plot import BOTTOM, TOP, Plot, drawn
from evref.domain.access.key import Permission
from evref.domain.access.quota import DayUsage
from tests.settings_pages.site import Site
from tests.settings_pages.test_api_keys import KEYS, ask_with
from tests.settings_pages.visitor import Visitor

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
    rows = plotted(limit=limit).rows

    assert [value for value, _ in rows] == values
    assert (rows[0][1], rows[-1][1]) == (BOTTOM, TOP)


def test_bars_stay_below_the_top_of_the_axis() -> None:
    """Refused requests are stacked on admitted ones, also above the limit."""
    (bar,) = plotted(DayUsage(ago(0), limit=10, admitted=10, refused=13), limit=10).bars

    assert bar.admitted_y + bar.admitted_height == BOTTOM
    assert bar.refused_y + bar.refused_height == pytest.approx(bar.admitted_y)
    assert bar.refused_y >= TOP
    assert bar.refused_height / bar.admitted_height == pytest.approx(1.3, abs=0.001)


def test_the_present_limit_is_drawn() -> None:
    """Earlier limits are not drawn."""
    plot = plotted(DayUsage(ago(20), 400, 1, 0), limit=1000)

    assert plot.limit_y == TOP


def test_the_key_s_page_plots_thirty_days_against_the_limit(site: Site, member: Visitor) -> None:
    made = site.new_key("Ward app", limit=3)
    site.use_key(made, 2, days_ago=30)
    site.use_key(made, 2, days_ago=29)
    site.use_key(made, 5, days_ago=1)

    page = member.get(f"{KEYS}/{made.key.id}").text

    svg = page[page.index('<g class="day"') : page.index("</figure>")]
    assert svg.count('class="admitted"') == 2
    assert svg.count('class="refused"') == 1
    text = " ".join(re.sub("<[^>]*>", "", page).split())
    assert "5 requests were admitted and 2 refused." in text
    assert "The busiest day was 19 November 2026, with 3 admitted and 2 refused." in text
    assert 'aria-label="19 November 2026: 3 admitted, 2 refused, limit 3"' in svg
    rows = re.findall(r'<th scope="row"><time datetime="([^"]*)">.*?<td>(\d+)</td><td>(\d+)', page)
    assert rows == [("2026-11-19", "3", "2"), ("2026-10-22", "2", "0")]


def test_a_key_that_was_not_used_has_no_plot(site: Site, member: Visitor) -> None:
    made = site.new_key(permission=Permission.NONE)
    assert ask_with(site, made.token.text) == 403

    page = " ".join(member.get(f"{KEYS}/{made.key.id}").text.split())

    assert "No requests were counted in the last 30 days." in page
    assert "Requests refused because the key has no access are not counted." in page
    assert "never used" not in page
    assert "<svg" not in page
