"""What a member does in the settings, from the first page to a revoked key or a new colleague."""

import re
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.live import fill_in, opened_page, served_site, sign_in
from tests.settings_pages.site import COLLEAGUE, EMAIL, PASSWORD, Site


def ask_with(site: Site, key: str) -> int:
    """Return the status of an API request with this key, made outside the browser."""
    request = Request(
        f"{site.settings.base_url}/api/v1/diagnoses", headers={"Authorization": f"Bearer {key}"}
    )
    try:
        with urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


def sign_out(page: Page) -> None:
    """Sign out in the menu of the member, which needs no JavaScript."""
    page.get_by_role("button", name=EMAIL).click()
    page.get_by_role("button", name="Sign out").click()


def create_a_key(page: Page, name: str) -> None:
    page.get_by_role("link", name="Create a key").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create the key").click()


def test_from_the_landing_page_to_a_key_that_works_and_to_its_end(page: Page, site: Site) -> None:
    page.goto("/")
    page.get_by_role("link", name="institution settings").click()
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Show what I type").check()
    expect(page.get_by_label("Password")).to_have_attribute("type", "text")
    page.get_by_role("button", name="Sign in").click()

    create_a_key(page, "Ward tablet")
    page.get_by_role("button", name="Copy the key").click()
    expect(page.locator("#key-copied")).to_have_text("Copied.")
    key = page.evaluate("navigator.clipboard.readText()")
    assert key == page.locator("#key").inner_text()
    page.get_by_role("button", name="Copy the command").click()
    expect(page.locator("#line-copied")).to_have_text("Copied.")
    line = page.evaluate("navigator.clipboard.readText()")
    assert line == (
        f'curl -H "Authorization: Bearer {key}" {site.settings.base_url}/api/v1/diagnoses'
    )

    assert [ask_with(site, key) for _ in range(3)] == [200, 200, 200]
    page.get_by_role("link", name="Done, I have stored it").click()
    row = page.get_by_role("row", name="Ward tablet")
    expect(row).to_contain_text("3 of 1,000")
    expect(row.get_by_role("meter")).to_have_attribute("value", "3")
    assert key not in page.content()

    page.get_by_role("link", name="Ward tablet").click()
    expect(page.get_by_role("group", name="Plot of the requests per day")).to_be_visible()
    page.get_by_role("link", name="Revoke the key …").click()
    page.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_role("status")).to_contain_text("The key is revoked.")
    assert ask_with(site, key) == 401

    page.get_by_role("link", name="Audit log").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Key revoked")
    sign_out(page)
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.go_back()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sign in")


def test_the_whole_way_without_javascript(browser: Browser, site: Site) -> None:
    """Only the copy buttons are missing."""
    with opened_page(browser, site, javascript=False) as page:
        sign_in(page)
        create_a_key(page, "Ward tablet")
        expect(page.get_by_role("button", name="Copy the key")).not_to_be_visible()
        key = page.locator("#key").inner_text()
        assert ask_with(site, key) == 200

        page.get_by_role("link", name="revoke it").click()
        page.get_by_role("button", name="Revoke the key").click()
        expect(page.get_by_role("status")).to_contain_text("The key is revoked.")
        assert ask_with(site, key) == 401
        sign_out(page)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Sign in")


@pytest.mark.parametrize("copying", ["refused", "not there"])
def test_where_copying_is_not_possible_the_key_is_selected(page: Page, copying: str) -> None:
    """This is so on pages without https."""
    sign_in(page)
    create_a_key(page, "Ward tablet")
    expect(page.locator("#key")).to_be_visible()
    broken = "writeText: () => Promise.reject()" if copying == "refused" else ""
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{value: {{{broken}}}}})")

    page.get_by_role("button", name="Copy the key").click()

    expect(page.locator("#key-copied")).to_contain_text("Selected")
    assert page.evaluate("getSelection().toString()") == page.locator("#key").inner_text()


def test_the_keyboard_alone_makes_a_key_and_revokes_it(page: Page, site: Site) -> None:
    """The focus is always visible, and the first stop is the skip link."""
    page.goto("/settings")
    _tab_to(page, "Skip to the content")
    page.keyboard.press("Enter")
    _tab_to(page, "E-mail address")
    page.keyboard.type(EMAIL)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings/api-keys")
    _tab_to(page, "Create a key")
    page.keyboard.press("Enter")
    page.wait_for_url("**/new")
    _tab_to(page, "Name")
    page.keyboard.type("Ward tablet")
    _tab_to(page, "Create the key")
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your new key")
    _tab_to(page, "Copy the key")
    page.keyboard.press("Enter")
    expect(page.locator("#key-copied")).to_have_text("Copied.")
    key = page.evaluate("navigator.clipboard.readText()")
    assert ask_with(site, key) == 200
    _tab_to(page, "revoke it")
    page.keyboard.press("Enter")
    page.wait_for_url("**/revoke")
    _tab_to(page, "Revoke the key")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The key is revoked.")
    assert ask_with(site, key) == 401


_FOCUSED = """() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return {
    name: at.labels?.length ? at.labels[0].innerText : at.innerText,
    // Between the last stop and the first one nothing of the page has the focus.
    seen: at === document.body
      || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2),
  };
}"""


def _tab_to(page: Page, name: str) -> None:
    page.wait_for_load_state()
    for _ in range(20):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        assert focused["seen"], focused
        if (focused["name"] or "").strip() == name:
            return
    pytest.fail(f"Tab does not lead to {name!r}")


def test_back_and_forward_after_making_a_key_show_the_settings(page: Page, site: Site) -> None:
    """The browser does not ask to send the form again."""
    sign_in(page)
    create_a_key(page, "Ward tablet")
    expect(page.locator("#key")).to_be_visible()
    # The script of the page has replaced the address of the form.
    page.wait_for_url(re.compile("/api-keys/[0-9a-f]{16}$"))

    page.go_back()
    expect(page.get_by_label("Name")).to_be_visible()
    page.go_forward()

    expect(page.get_by_role("heading", name="Ward tablet")).to_be_visible()
    expect(page.locator("#key")).to_have_count(0)


def test_a_service_below_a_path_is_read_and_makes_a_key(browser: Browser) -> None:
    with served_site(path="/evref") as site, opened_page(browser, site) as page:
        page.goto("/evref/catalogue")
        fill_in(page)
        page.wait_for_url("**/evref/catalogue")
        expect(page.get_by_role("heading", level=1)).to_be_visible()

        page.get_by_role("link", name="Keys").click()
        page.wait_for_url("**/evref/settings/api-keys")
        create_a_key(page, "Ward tablet")
        key = page.locator("#key").inner_text()

        assert ask_with(site, key) == 200
        assert {cookie.get("path") for cookie in page.context.cookies()} == {"/evref"}


CHOSEN = "the goose that counts backwards"


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
        second.get_by_label("New password", exact=True).fill(CHOSEN)
        second.get_by_label("New password again").fill(CHOSEN)
        second.get_by_role("button", name="Join").click()
        expect(second.get_by_role("button", name=COLLEAGUE)).to_be_visible()

    assert len(referrers) > 2
    assert not [referrer for referrer in referrers if "/settings/invitation" in referrer]
