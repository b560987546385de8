"""Every page is accessible by axe-core and fits the window, at two widths, light and dark."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from evref.domain.access.key import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.domain.principal import Readers, Role
from evref.testing.builders import OPERATOR
from tests.browser.live import is_too_wide, opened_page, served_site, sign_in
from tests.pages.site import bundled, publish
from tests.pages.test_hostile_text import hostile
from tests.settings_pages.site import MORNING, PASSWORD, Site

REMOVED = "gout"
PAGES = {
    "front page": "/",
    "catalogue": "/catalogue",
    "found": "/catalogue?q=pain",
    "found by code": "/catalogue?q=M54.5,+G61.0",
    "nothing found": "/catalogue?q=unicorn",
    "diagnosis": "/catalogue/low-back-pain",
    "filtered": "/catalogue/lumbar-radiculopathy?module=pharmaconeutral&phase=chronic",
    "nothing left": "/catalogue/low-back-pain?module=home&phase=acute",
    "whole entry": "/catalogue/neck-pain?print=full",
    "by group": "/catalogue?by=group",
    "what is new": "/catalogue/changes",
    "evidence": "/evidence",
    "about": "/about",
    "removed": f"/catalogue/{REMOVED}",
    "refused": "/catalogue?module=homes",
    "unknown": "/catalogue/unicorn",
}

FEW = {
    "complex-regional-pain-syndrome",
    "hip-fracture",
    "low-back-pain",
    "lumbar-radiculopathy",
    "neck-pain",
    "type-2-diabetes-mellitus",
}

OF_SWAGGER_UI = {
    "heading-order",
    "landmark-main-is-top-level",
    "landmark-no-duplicate-main",
    "landmark-unique",
    "nested-interactive",
    "select-name",
}
"""What axe-core objects to in Swagger UI itself, with each operation closed."""

Scheme = Literal["light", "dark"]


RULES_ON_COLOURS = ["color-contrast", "link-in-text-block"]


@pytest.fixture(scope="module")
def small() -> Iterator[Site]:
    """Yield a site with a few entries, because axe-core is slow on long lists."""
    with served_site(Readers.PUBLIC) as site:
        entries = [entry for entry in bundled().entries if entry.diagnosis.id in FEW]
        first, *others = entries[-1].interventions
        evidence = replace(
            first.evidence, direction=Direction.UNCLEAR, recommendation=Recommendation.NOT_STATED
        )
        turned = Entry(entries[-1].diagnosis, (replace(first, evidence=evidence), *others))
        publish(site, Catalogue([*entries[:-1], turned, bundled().entry(REMOVED)]))
        publish(site, Catalogue(entries))
        yield site


@pytest.fixture(scope="module")
def hostile_site() -> Iterator[Site]:
    """Yield a site with text that could break layouts: long words, and marks."""
    with served_site(Readers.PUBLIC) as site:
        publish(site, Catalogue([hostile("W" * 500)]))
        yield site


def furnish(site: Site) -> str:
    """Create keys in every state; return the id of one that was used a lot."""
    site.clock.set_time_of_day(MORNING - timedelta(days=40))
    busy = site.new_key("Electronic record of a ward with quite a long name", limit=10)
    site.new_key("a" * 100, permission=Permission.NONE, limit=0)
    site.new_key("Summer school", expires_on=(MORNING - timedelta(days=20)).date())
    old = site.new_key("Old <script>phone</script> app")
    site.container.manage_keys().revoke(OPERATOR, old.key.id)
    site.clock.set_time_of_day(MORNING)
    for days_ago in range(28):
        site.use_key(busy, days_ago * 3 % 14, days_ago=days_ago)
    return busy.key.id


def invite(site: Site) -> tuple[str, str, str]:
    """Create a member, an open invitation, and an invitation to accept.

    Returns the ids of the first two, and the path of the third.
    """
    member = site.add_member(f"{'nurse' * 12}@example.org", Role.VIEWER)
    site.invite(f"{'doctor' * 10}@example.org", Role.ADMIN)
    (invitation,) = site.container.people().invitations(OPERATOR, member.institution_id)
    path = site.invite()
    return member.id, invitation.id, path.removeprefix("/settings/")


def check(page: Page, name: str) -> None:
    """Assert that axe-core finds nothing in light and dark, and that the page fits the window."""
    # A click returns before the styles of the next page are loaded.
    page.wait_for_load_state()
    # A page differs between light and dark only in its colours.
    page.emulate_media(color_scheme="dark")
    in_dark = Axe().run(page, options={"runOnly": RULES_ON_COLOURS})
    assert in_dark.violations_count == 0, f"{name}, dark: {in_dark.generate_report()}"
    page.emulate_media(color_scheme="light")
    in_light = Axe().run(page)
    assert in_light.violations_count == 0, f"{name}: {in_light.generate_report()}"
    assert not is_too_wide(page), name


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_shuts_anybody_out(browser: Browser, site: Site, width: int) -> None:
    with opened_page(browser, site, width=width) as page:
        for path in ("/", "/evidence", "/about", "/problems", "/problems/not-found", "/nothing"):
            page.goto(path)
            check(page, path)
        sign_in(page)
        check(page, "no keys")
        key_id = furnish(site)
        member_id, invitation_id, invitation = invite(site)
        for path in (
            "api-keys",
            "api-keys/new",
            "api-keys?q=revoked",
            f"api-keys/{key_id}",
            f"api-keys/{key_id}/rotate",
            f"api-keys/{key_id}/revoke",
            "audit-log",
            "members",
            "members/invite",
            f"members/{member_id}",
            f"members/{member_id}/remove",
            f"members/invitations/{invitation_id}/revoke",
            invitation,
            "invitation/none",
            "password",
            "sign-out",
            "nothing",
        ):
            page.goto(f"/settings/{path}")
            check(page, path)


@pytest.mark.parametrize("width", [360, 1280])
def test_no_answer_to_a_form_shuts_anybody_out(browser: Browser, site: Site, width: int) -> None:
    """This covers each form with errors, and each page that follows a form."""
    key_id = furnish(site)
    with opened_page(browser, site, width=width) as page:
        page.goto("/settings")
        check(page, "sign in")
        page.get_by_role("button", name="Sign in").click()
        check(page, "sign in, refused")
        sign_in(page)
        page.goto("/settings/api-keys/new")
        page.get_by_label("Daily limit").fill("many")
        page.get_by_role("button", name="Create the key").click()
        check(page, "a key, refused")
        page.get_by_label("Name").fill("Ward tablet")
        page.get_by_label("Daily limit").fill("1000")
        page.get_by_role("button", name="Create the key").click()
        check(page, "a key, made")
        page.goto(f"/settings/api-keys/{key_id}/rotate")
        page.get_by_role("button", name="Rotate the key").click()
        check(page, "a key, rotated")
        page.get_by_role("link", name="Done, I have stored it").click()
        check(page, "two keys at a time")
        page.get_by_role("link", name="End the previous secret now …").click()
        check(page, "the end of the previous key")
        page.goto("/settings/password")
        page.get_by_role("button", name="Change password").click()
        check(page, "password, refused")
        page.goto("/settings/members/invite")
        page.get_by_role("button", name="Create the link").click()
        check(page, "an invitation, refused")
        page.get_by_label("E-mail address").fill("new@example.org")
        page.get_by_role("button", name="Create the link").click()
        check(page, "an invitation, made")


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_shuts_a_viewer_out(browser: Browser, site: Site, width: int) -> None:
    key_id = furnish(site)
    with opened_page(browser, site, width=width) as page:
        page.goto(site.invite())
        page.get_by_role("button", name="Join").click()
        check(page, "joining, refused")
        page.get_by_label("New password", exact=True).fill(PASSWORD)
        page.get_by_label("New password again").fill(PASSWORD)
        page.get_by_role("button", name="Join").click()
        check(page, "keys")
        for path in (f"api-keys/{key_id}", "members", "members/invite"):
            page.goto(f"/settings/{path}")
            check(page, path)


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_of_the_catalogue_shuts_anybody_out(
    browser: Browser, small: Site, width: int
) -> None:
    with opened_page(browser, small, width=width) as page:
        for name, path in PAGES.items():
            page.goto(path)
            check(page, name)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_frame_around_swagger_ui_shuts_nobody_out(
    browser: Browser, public: Site, width: int, scheme: Scheme
) -> None:
    """All other findings are within Swagger UI itself."""
    with opened_page(browser, public, width=width, scheme=scheme) as page:
        page.goto("/docs")
        page.get_by_role("button", name="Authorize").wait_for()
        violations = Axe().run(page).response["violations"]

        # Two landmarks of a kind are reported at the first one, which is that of the frame.
        outside = [
            (violation["id"], node["target"])
            for violation in violations
            for node in violation["nodes"]
            if not violation["id"].startswith("landmark-")
            and page.locator(f"#swagger-ui {node['target'][0]}").count() == 0
            and page.locator(node["target"][0]).count() > 0
        ]
        assert outside == []
        assert {violation["id"] for violation in violations} <= OF_SWAGGER_UI
        assert not is_too_wide(page)


@pytest.mark.parametrize("width", [360, 1280])
def test_text_without_a_break_stays_on_the_page(
    browser: Browser, hostile_site: Site, width: int
) -> None:
    with opened_page(browser, hostile_site, width=width) as page:
        for path in ("/", "/catalogue", "/catalogue/a", f"/catalogue?q={'W' * 200}"):
            page.goto(path)
            check(page, path)
            page.emulate_media(media="print")
            assert not is_too_wide(page), path
            page.emulate_media(media="screen")
