"""The layout of many keys with long names, at each width."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from evref.domain.access.key import Permission
from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.browser.live import is_too_wide, opened_page, served_site, sign_in
from tests.settings_pages.site import MORNING, Site

WIDTHS = (360, 820, 1280, 1920)
LONG = "Research export for the 2026 audit of rehabilitation outcomes across all twelve sites"

# Words that stand on two lines, and what is wider than the window.
_BROKEN = """(selector) => [...document.querySelectorAll(selector)].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), broken = [];
  while (walker.nextNode()) {
    // Text for screen readers alone.
    if (walker.currentNode.parentElement.closest(".hidden")) continue;
    for (const word of walker.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1 || range.getBoundingClientRect().right > innerWidth) broken.push(word[0]);
    }
  }
  return broken;
})"""

# Text of the plot that is small, or stands over a bar.
_UNREADABLE = """() => {
  const bars = [...document.querySelectorAll(".plot .day :not(.slot)")]
    .map((bar) => bar.getBoundingClientRect());
  return [...document.querySelectorAll(".plot text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.height < 11 || parseFloat(getComputedStyle(text).fontSize) < 11
      || bars.some((bar) => bar.left < box.right && box.left < bar.right
        && bar.top < box.bottom && box.top < bar.bottom);
  }).map((text) => text.textContent);
}"""


def furnish(site: Site) -> str:
    """Create 40 keys, 300 audit entries and 21 members; return the id of a used key."""
    keys = site.container.manage_keys()
    site.clock.set_time_of_day(MORNING - timedelta(days=40))
    used = site.new_key("W" * 100, limit=10)
    site.new_key(f"{LONG} over", expires_on=(MORNING - timedelta(days=1)).date())
    for days_ago in range(29, -1, -1):
        site.clock.set_time_of_day(MORNING - timedelta(days=days_ago))
        if days_ago == 9:
            keys.change(OPERATOR, used.key.id, daily_limit=20)
        site.use_key(used, days_ago * 7 % 23)
    site.new_key("i" * 100, permission=Permission.NONE)
    site.new_key(LONG, expires_on=MORNING.date())
    site.use_key(site.new_key(f"{LONG} near", limit=5), 4)
    site.use_key(site.new_key(f"{LONG} full", limit=5), 9)
    keys.revoke(OPERATOR, site.new_key("a-b/c" * 20).key.id)
    for number in range(33):
        site.new_key(f"{LONG} {number}", limit=10_000_000)
    for number in range(20):
        site.add_member(f"{number}.{'x' * 50}@rehabilitation.example.org", Role.VIEWER)
    renamed = site.new_key("Renamed")
    while len(site.audit_log()) < 300:
        number = len(site.audit_log())
        keys.change(OPERATOR, renamed.key.id, name=f"{number} {'x' * 90}")
    return used.key.id


@pytest.fixture(scope="module")
def crowded(browser: Browser) -> Iterator[tuple[Page, str]]:
    """Yield a signed-in page of a site with many keys, and the id of a used key."""
    with served_site() as site:
        key_id = furnish(site)
        with opened_page(browser, site) as page:
            sign_in(page)
            yield page, key_id


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("/settings/api-keys", ".keys td, .keys th[role=columnheader]"),
        ("/settings/audit-log", ".log .when, .log .what, .log th"),
        ("/settings/members", ".members td"),
    ],
)
def test_only_names_break_and_nothing_is_wider_than_the_window(
    crowded: tuple[Page, str], path: str, whole: str
) -> None:
    """A state, number or date never breaks within a word."""
    page, _ = crowded
    page.goto(path)
    assert page.locator("tbody tr").count() >= 20

    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert not is_too_wide(page), width
        assert page.evaluate(_BROKEN, whole) == [], width


def test_the_plot_can_be_read_on_a_telephone(crowded: tuple[Page, str]) -> None:
    """Each day is reachable by pointer and keyboard; the plot uses no JavaScript."""
    page, key_id = crowded
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"/settings/api-keys/{key_id}")

    assert page.evaluate(_UNREADABLE) == []
    assert not is_too_wide(page)
    days = page.locator(".plot .day")
    shown = page.locator(".plot .reading:visible")
    expect(shown).to_have_count(0)
    days.last.hover()
    expect(shown).to_contain_text("19 November 2026, limit 20")
    days.first.focus()
    page.mouse.move(0, 0)
    expect(shown).to_contain_text("22 October 2026, limit 10")
    page.keyboard.press("Tab")
    expect(shown).to_contain_text("23 October 2026, limit 10")


@pytest.mark.parametrize("path", ["/settings/api-keys", "/settings/audit-log", "/settings/members"])
def test_the_cells_of_a_row_end_at_one_line(crowded: tuple[Page, str], path: str) -> None:
    page, _ = crowded
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(path)

    ends = page.locator("main tbody tr").evaluate_all(
        "(rows) => rows.map((row) => "
        "[...row.cells].map((cell) => Math.round(cell.getBoundingClientRect().bottom)))"
    )

    assert ends
    assert all(len(set(row)) == 1 for row in ends)
