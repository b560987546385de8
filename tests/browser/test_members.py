"""A colleague joins by the link of an invitation."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.live import opened_page, sign_in
from tests.settings_pages.site import COLLEAGUE, Site

PASSWORD = "the goose that counts backwards"


def test_a_link_that_was_copied_lets_a_colleague_join(
    browser: Browser, page: Page, site: Site
) -> None:
    """No request contains the link in its Referer header."""
    sign_in(page)
    page.goto("/settings/members/invite")
    page.get_by_label("E-mail address").fill(COLLEAGUE)
    page.get_by_role("button", name="Create the link").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator("#link-copied")).to_have_text("Copied.")
    link = page.evaluate("navigator.clipboard.readText()")

    with opened_page(browser, site) as second:
        referrers = []
        second.on("request", lambda request: referrers.append(request.headers.get("referer", "")))
        second.goto(link)
        second.get_by_label("New password", exact=True).fill(PASSWORD)
        second.get_by_label("New password again").fill(PASSWORD)
        second.get_by_role("button", name="Join").click()
        expect(second.get_by_role("button", name=COLLEAGUE)).to_be_visible()

    assert len(referrers) > 2
    assert not [referrer for referrer in referrers if "/settings/invitation" in referrer]
