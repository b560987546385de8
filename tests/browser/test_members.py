"""Two admins in two browsers."""

from playwright.sync_api import Browser, Page, expect

from evref.testing.builders import OPERATOR
from tests.browser.live import opened_page, sign_in
from tests.settings_pages.site import COLLEAGUE, EMAIL, Site
from tests.settings_pages.site import PASSWORD as FIRST_PASSWORD

PASSWORD = "the goose that counts backwards"


def test_a_second_admin_joins_and_demotes_the_first_who_can_then_change_nothing(
    browser: Browser, page: Page, site: Site
) -> None:
    """Without signing out: the page that is still open is refused."""
    sign_in(page)
    page.get_by_role("link", name="Members").click()
    page.get_by_role("link", name="Invite a colleague").click()
    page.get_by_label("E-mail address").fill(COLLEAGUE)
    page.get_by_label("Admin: manages keys and members").check()
    page.get_by_role("button", name="Create the link").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator("#link-copied")).to_have_text("Copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("link", name="API keys").click()
    page.get_by_role("link", name="Create a key").click()
    page.get_by_label("Name").fill("Ward tablet")

    with opened_page(browser, site) as second:
        referrers = []
        second.on("request", lambda request: referrers.append(request.headers.get("referer", "")))
        second.goto(link)
        second.get_by_label("New password", exact=True).fill(PASSWORD)
        second.get_by_label("New password again").fill(PASSWORD)
        second.get_by_role("button", name="Join").click()
        expect(second.get_by_role("status")).to_have_text("Welcome. You are now a member.")
        assert len(referrers) > 2
        assert not [each for each in referrers if "/settings/invitation" in each]
        second.get_by_role("link", name="Members").click()
        second.get_by_role("link", name=f"Change or remove {EMAIL}").click()
        second.get_by_label("Viewer: sees keys, their use and the audit log").check()
        second.get_by_role("button", name="Save the role").click()
        expect(second.get_by_role("status")).to_contain_text(f"{EMAIL} is now a viewer")

    page.get_by_role("button", name="Create the key").click()
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(FIRST_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Only an admin of your institution can change this"
    )
    assert site.container.manage_keys().list_all(OPERATOR) == ()
    page.get_by_role("link", name="Members", exact=True).click()
    expect(page.get_by_role("row", name=EMAIL)).to_contain_text("Viewer")
    expect(page.get_by_role("link", name="Invite a colleague")).to_have_count(0)
