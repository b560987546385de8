"""Takes the screenshots of the how-to guides: `python -m tests.browser.screenshots`."""

import sys
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Page

from evref.domain.access.key import Permission
from evref.domain.principal import Readers, Role
from evref.testing.builders import OPERATOR
from tests.browser.live import chromium, opened_page, running_browser, served_site, sign_in
from tests.pages.site import bundled, publish
from tests.settings_pages.site import COLLEAGUE, MORNING, Site

FOLDER = Path(__file__).parents[2] / "docs" / "images"
WIDTH = 1100


def furnish(site: Site) -> str:
    """Create keys in several states, one of them used for a month; return its id."""
    keys = site.container.manage_keys()
    site.clock.set_time_of_day(MORNING - timedelta(days=40))
    site.new_key("Summer school", expires_on=(MORNING - timedelta(days=20)).date())
    made = site.new_key("Electronic record", limit=200)
    for days_ago in range(29, -1, -1):
        site.clock.set_time_of_day(MORNING - timedelta(days=days_ago))
        if days_ago == 10:
            keys.change(OPERATOR, made.key.id, daily_limit=250)
        times = 240 if days_ago == 11 else 60 + days_ago * 37 % 110
        site.use_key(made, times if site.clock.now().weekday() < 5 else days_ago)
    site.use_key(site.new_key("Study of back pain", limit=50), 43)
    site.new_key("Trial of an app", expires_on=(MORNING + timedelta(days=9)).date())
    site.new_key("Ward screen", permission=Permission.NONE)
    return made.key.id


def take(page: Page, name: str) -> None:
    height = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
    page.screenshot(
        path=FOLDER / f"{name}.png",
        clip={"x": 0, "y": 0, "width": WIDTH, "height": min(height + 16, 1000)},
        full_page=True,
    )


def hide_key(page: Page) -> None:
    """Replace the key on the page, so that no screenshot shows a key that ever worked."""
    page.evaluate(
        "document.querySelectorAll('#key, #line').forEach(element => element.textContent ="
        " element.textContent.replace(/evref_[0-9A-Za-z]+/, 'evref_' + 'x'.repeat(46))"
        ".replace(/http:..127[^/]*/, 'https://evref.example.org'))"
    )


def take_of_members(page: Page, site: Site) -> None:
    """Take the list of members and the link of an invitation."""
    site.add_member("pharmacy@example.org", Role.ADMIN)
    site.add_member("research@example.org", Role.VIEWER)
    page.goto("/settings/members/invite")
    page.get_by_label("E-mail address").fill(COLLEAGUE)
    page.get_by_role("button", name="Create the link").click()
    page.get_by_role("button", name="Copy the link").wait_for()
    # A link that leads nowhere, like the key above.
    page.evaluate(
        "document.querySelector('#link').textContent ="
        " 'https://evref.example.org/settings/invitation/Join' + 'x'.repeat(48)"
    )
    take(page, "your-invitation")
    page.goto("/settings/members")
    take(page, "members")


def take_of_readers(page: Page) -> None:
    """Take the pages of the catalogue, each as much as a window shows."""
    page.set_viewport_size({"width": WIDTH, "height": 900})
    for name, address in (
        ("front-page", "/"),
        ("catalogue", "/catalogue"),
        ("diagnosis", "/catalogue/low-back-pain"),
        ("how-to-read-it", "/evidence"),
    ):
        page.goto(address)
        page.screenshot(path=FOLDER / f"{name}.png")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/catalogue/low-back-pain")
    page.screenshot(path=FOLDER / "diagnosis-on-a-telephone.png")
    page.set_viewport_size({"width": WIDTH, "height": 900})
    page.locator("#low-back-pain-opioids").screenshot(path=FOLDER / "intervention.png")
    page.goto("/docs")
    page.get_by_role("button", name="Authorize").wait_for()
    page.screenshot(path=FOLDER / "api.png")


def main() -> None:
    path = chromium()
    if path is None:
        sys.exit("screenshots: no Chromium on this machine")
    FOLDER.mkdir(exist_ok=True)
    with (
        running_browser(path) as browser,
        served_site() as site,
        opened_page(browser, site, width=WIDTH) as page,
    ):
        key_id = furnish(site)
        page.goto("/settings")
        take(page, "sign-in")
        sign_in(page)
        take(page, "api-keys")
        page.goto("/settings/api-keys/new")
        page.get_by_label("Name").fill("Ward tablet")
        take(page, "create-a-key")
        page.get_by_role("button", name="Create the key").click()
        page.get_by_role("button", name="Copy the key").wait_for()
        hide_key(page)
        take(page, "your-new-key")
        page.goto(f"/settings/api-keys/{key_id}")
        take(page, "a-key")
        page.goto(f"/settings/api-keys/{key_id}/revoke")
        take(page, "revoke-a-key")
        page.goto(f"/settings/api-keys/{key_id}/rotate")
        take(page, "rotate-a-key")
        page.get_by_role("button", name="Rotate the key").click()
        page.get_by_role("button", name="Copy the key").wait_for()
        hide_key(page)
        take(page, "rotated-key")
        page.goto("/settings/audit-log")
        take(page, "audit-log")
        take_of_members(page, site)
    with (
        running_browser(path) as browser,
        served_site(Readers.PUBLIC) as site,
        opened_page(browser, site, width=WIDTH) as page,
    ):
        publish(site, bundled())
        take_of_readers(page)


if __name__ == "__main__":
    main()
