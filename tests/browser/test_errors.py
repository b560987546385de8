"""After a refused form, the errors are in view and have the focus."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.browser.live import opened_page, served_site, sign_in
from tests.settings_pages.site import COLLEAGUE, Site

SIZES = [(360, 740), (1366, 768)]


@pytest.fixture(scope="module")
def settings(browser: Browser) -> Iterator[tuple[Site, Page, str]]:
    """Yield a signed-in page and a colleague's id; the key was used, so its page is long."""
    with served_site() as site:
        keys, institution = (
            site.container.manage_keys(),
            site.institution_id(),
        )
        made = keys.create(OPERATOR, institution, name="Ward app")
        for days_ago in range(29, -1, -1):
            site.use_key(made, 3, days_ago=days_ago)
        colleague = site.add_member(COLLEAGUE, Role.READER)
        with opened_page(browser, site) as page:
            sign_in(page)
            yield site, page, colleague.id


def assert_shown(page: Page, *fields: str) -> None:
    """Assert that the summary has the focus and is in view, and that its links lead to fields."""
    summary = page.locator(".problems")
    expect(summary.get_by_role("heading", name="There is a problem")).to_be_visible()
    expect(summary).to_be_focused()
    expect(summary).to_be_in_viewport(ratio=1)
    assert page.title().startswith("Error: ")
    links = summary.get_by_role("link")
    assert links.evaluate_all("links => links.map((link) => link.hash)") == [
        f"#{field}" for field in fields
    ]
    for number, field in enumerate(fields):
        links.nth(number).click()
        expect(page.locator(f"#{field}")).to_be_focused()
        expect(page.locator(f"#{field}-error")).to_be_in_viewport()
        expect(page.locator(f"#{field}")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_refused_sign_in_is_in_view(
    browser: Browser, site: Site, width: int, height: int, javascript: bool
) -> None:
    with opened_page(browser, site, width=width, javascript=javascript) as page:
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/settings/sign-in")
        page.get_by_role("button", name="Sign in").click()
        assert_shown(page, "email", "password")
        page.goto(site.invite())
        page.get_by_label("New password again").fill("x")
        page.get_by_role("button", name="Join").click()
        assert_shown(page, "password", "repeated")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_refused_form_is_in_view(
    settings: tuple[Site, Page, str], width: int, height: int
) -> None:
    """Each error is beside its field, which keeps what was typed."""
    site, page, colleague = settings
    page.set_viewport_size({"width": width, "height": height})
    keys = site.container.manage_keys()
    (ward_app,) = keys.list_all(OPERATOR)

    page.goto("/settings/api-keys/new#main")
    page.get_by_label("Daily limit").fill("many")
    page.get_by_label("Date of expiry").fill("2020-01-01")
    page.get_by_role("button", name="Create the key").click()
    assert_shown(page, "name", "daily_limit", "expires_on")
    expect(page.get_by_label("Daily limit")).to_have_value("many")

    page.goto(f"/settings/api-keys/{ward_app.key.id}")
    page.get_by_label("Daily limit").fill("many")
    page.get_by_role("textbox", name="Name").fill("")
    page.get_by_role("button", name="Save the changes").click()
    assert_shown(page, "name", "daily_limit")

    page.goto(f"/settings/api-keys/{ward_app.key.id}")
    keys.change(OPERATOR, ward_app.key.id, name=f"Renamed at {width}")
    page.get_by_role("textbox", name="Name").fill("Mine")
    page.get_by_role("button", name="Save the changes").click()
    assert_shown(page, "name")
    expect(page.locator("#name-error")).to_contain_text(f"Renamed at {width}")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Mine")

    page.goto("/settings/members/invite")
    page.get_by_label("E-mail address").fill("nobody")
    page.get_by_role("button", name="Create the link").click()
    assert_shown(page, "email")

    members = site.container.people()
    members.set_role(OPERATOR, colleague, Role.READER)
    page.goto(f"/settings/members/{colleague}")
    members.set_role(OPERATOR, colleague, Role.VIEWER)
    page.get_by_label("Admin").check()
    page.get_by_role("button", name="Save the role").click()
    assert_shown(page, "role")

    page.goto("/settings/password")
    page.get_by_label("New password again").fill("x")
    page.get_by_role("button", name="Change password").click()
    assert_shown(page, "present", "password", "repeated")
