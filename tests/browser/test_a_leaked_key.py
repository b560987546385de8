"""What a member does when a key has leaked, in a real browser."""

from playwright.sync_api import Page, expect

from tests.browser.live import sign_in
from tests.browser.test_the_whole_way import ask_with
from tests.settings_pages.site import EMAIL, Site


def test_the_way_of_a_leaked_key(page: Page, site: Site) -> None:
    """Rotate it with an hour's overlap: both keys work, then the old one ends by itself."""
    leaked = site.make_key("Ward tablet")
    old = leaked.token.text
    sign_in(page)
    page.get_by_role("link", name="Ward tablet").click()
    page.get_by_role("link", name="Rotate the key …").click()
    page.get_by_label("One hour").check()
    page.get_by_role("button", name="Rotate the key").click()
    new = page.locator("#key").inner_text()
    told = f"The previous key …{leaked.token.last_four} works until 20 November 2026, 10:30 UTC."
    expect(page.locator("main")).to_contain_text(told)
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("The key has been rotated")
    expect(page.locator("main")).to_contain_text(told)
    assert [ask_with(site, key) for key in (old, new)] == [200, 200]

    site.clock.advance(minutes=59, seconds=59)
    assert [ask_with(site, key) for key in (old, new)] == [200, 200]
    site.clock.advance(seconds=1)
    assert [ask_with(site, key) for key in (old, new)] == [401, 200]

    page.reload()
    expect(page.locator("main")).not_to_contain_text("The previous key")
    expect(page.locator("main")).to_contain_text("5 of 1,000")
    page.get_by_role("link", name="Audit log").click()
    rows = page.get_by_role("row")
    expect(rows.nth(1)).to_contain_text(EMAIL)
    expect(rows.nth(1)).to_contain_text("Key rotated")
    expect(rows.nth(1)).to_contain_text(
        f"secret from …{old[-4:]} to …{new[-4:]}, …{old[-4:]} ends at 2026-11-20 10:30:00 UTC"
    )
    expect(rows.nth(2)).to_contain_text("Key created")
    content = page.content()
    assert old not in content
    assert new not in content
