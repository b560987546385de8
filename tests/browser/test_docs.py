"""Swagger UI in a browser, under the content security policy of its page."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect

from tests.browser.live import is_too_wide, opened_page
from tests.settings_pages.site import Site

OPERATIONS = {
    "listDiagnoses": "/api/v1/diagnoses",
    "getDiagnosis": "/api/v1/diagnoses/knee-osteoarthritis",
    "listInterventions": "/api/v1/diagnoses/knee-osteoarthritis/interventions",
}


@contextmanager
def opened_docs(browser: Browser, site: Site, width: int) -> Iterator[Page]:
    """Open the page; at the end, check that it requested nothing from other hosts."""
    with opened_page(browser, site, width=width) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto("/docs")
        expect(page.get_by_role("heading", name="API", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Authorize")).to_be_visible()
        yield page
        allowed = (f"{site.settings.base_url}/", "data:", "blob:")
        assert [url for url in asked if not url.startswith(allowed)] == []


def authorise(page: Page, token: str) -> None:
    page.get_by_role("button", name="Authorize").first.click()
    page.get_by_label("auth-bearer-value").fill(token)
    page.get_by_role("button", name="Apply credentials").click()
    page.get_by_role("button", name="Close").first.click()


def execute(page: Page, operation_id: str) -> None:
    """Open the operation and execute it with its default values."""
    operation = page.locator(f"#operations-Catalogue-{operation_id}")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()


def test_each_operation_can_be_tried_with_a_key(browser: Browser, site: Site) -> None:
    """The examples suffice; the response shows the remaining requests of the day."""
    token = site.new_key("Swagger UI", limit=10).token.text
    with opened_docs(browser, site, 360) as page:
        authorise(page, token)
        for asked, (operation_id, path) in enumerate(OPERATIONS.items(), start=1):
            execute(page, operation_id)

            shown = page.locator(f"#operations-Catalogue-{operation_id} .live-responses-table")
            expect(shown.locator("tbody .response-col_status")).to_have_text("200")
            expect(shown).to_contain_text("knee-osteoarthritis")
            expect(shown).to_contain_text(f'ratelimit: "daily";r={10 - asked};t=')
            expect(shown).to_contain_text(f"x-ratelimit-remaining: {10 - asked}")
            request_url = page.locator(f"#operations-Catalogue-{operation_id} .request-url")
            expect(request_url).to_contain_text(f"{site.settings.base_url}{path}")
        assert not is_too_wide(page)


def test_without_a_key_the_problem_is_shown(browser: Browser, site: Site) -> None:
    with opened_docs(browser, site, 1280) as page:
        execute(page, "listDiagnoses")

        shown = page.locator(".live-responses-table")
        expect(shown.locator("tbody .response-col_status")).to_contain_text("401")
        expect(shown).to_contain_text("/problems/missing-credentials")


def test_without_javascript_the_operations_are_listed(browser: Browser, site: Site) -> None:
    """The page links to the OpenAPI document."""
    with opened_page(browser, site, javascript=False) as page:
        page.goto("/docs")

        for path in ("/api/v1/diagnoses", "/api/v1/diagnoses/{id}/interventions"):
            expect(page.get_by_text(f"GET {path}", exact=True)).to_be_visible()
        page.locator("noscript").get_by_role("link", name="OpenAPI document").first.wait_for()
