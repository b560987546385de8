"""The pages of the catalogue in a browser: layout, keyboard and accessible names."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.live import opened_page
from tests.settings_pages.site import Site


def test_what_is_advised_against_is_two_steps_from_the_front_page_of_a_telephone(
    browser: Browser, public: Site
) -> None:
    """The steps are a search and a tap, also without JavaScript."""
    for javascript in (True, False):
        with opened_page(browser, public, width=360, javascript=javascript) as page:
            page.goto("/")
            page.get_by_label("Diagnosis, ICD code or question").fill("low back pain")
            page.keyboard.press("Enter")
            page.wait_for_url("**/catalogue/low-back-pain*")

            against = page.locator("#advised_against")
            expect(against.get_by_role("heading")).to_contain_text("Advised against")
            expect(against).to_contain_text("WHO 2023")
            against.get_by_role("link", name="Opioid analgesics in routine care").click()
            expect(page.locator("#low-back-pain-opioids")).to_be_in_viewport()
            expect(page).to_have_url(re.compile("#low-back-pain-opioids$"))


def test_the_field_suggests_diagnoses_while_one_types(browser: Browser, public: Site) -> None:
    """Keyboard and pointer work as in the combobox pattern of WAI-ARIA."""
    with opened_page(browser, public) as page:
        page.goto("/evidence")
        field = page.get_by_role("combobox", name="Find a diagnosis")
        suggestions = page.get_by_role("option")

        field.press_sequentially("frozen should")
        expect(suggestions.first).to_contain_text("Adhesive capsulitis of the shoulder")
        expect(field).to_have_attribute("aria-expanded", "true")
        field.press("Escape")
        expect(field).to_have_attribute("aria-expanded", "false")
        field.press_sequentially("er")
        expect(suggestions.first).to_contain_text("Adhesive capsulitis of the shoulder")
        field.press("ArrowDown")
        expect(suggestions.first).to_have_attribute("aria-selected", "true")
        field.press("Enter")
        page.wait_for_url("**/catalogue/adhesive-capsulitis*")
        field.press_sequentially("heart")
        page.get_by_role("option", name=re.compile("^Heart failure")).click()
        page.wait_for_url("**/catalogue/heart-failure*")
        field.press_sequentially("Delir")
        expect(suggestions.first).to_contain_text("Delirium")
        field.press("ArrowDown")
        field.press("Enter")
        page.wait_for_url("**/catalogue/delirium*")


_AFTER_TWO_FRAMES = """() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
})"""


@pytest.mark.parametrize("key", ["Escape", "ArrowDown"])
def test_suggestions_that_arrive_late_change_nothing(
    browser: Browser, public: Site, key: str
) -> None:
    """They open no closed list and change no choice; typing on undoes the choice."""
    with opened_page(browser, public) as page:
        page.goto("/evidence")
        field = page.get_by_role("combobox", name="Find a diagnosis")
        first = page.get_by_role("option").first
        field.press_sequentially("frozen sho")
        expect(first).to_contain_text("Adhesive capsulitis of the shoulder")
        field.press("ArrowDown")
        expect(first).to_have_attribute("aria-selected", "true")

        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/suggest?q=frozen+shoulder", hold)
        with page.expect_request("**/suggest?q=frozen+shoulder"):
            field.press_sequentially("ulder")
        expect(first).to_have_attribute("aria-selected", "false")
        field.press(key)
        with page.expect_event("requestfinished"):
            held[0].continue_()
        page.evaluate(_AFTER_TWO_FRAMES)

        if key == "Escape":
            expect(field).to_have_attribute("aria-expanded", "false")
        else:
            expect(first).to_have_attribute("aria-selected", "true")


def test_a_slash_puts_the_cursor_into_the_field(browser: Browser, public: Site) -> None:
    """Within the field, a slash is typed as usual."""
    with opened_page(browser, public) as page:
        page.goto("/catalogue/low-back-pain")
        field = page.get_by_role("combobox", name="Find a diagnosis")

        page.keyboard.press("/")
        expect(field).to_be_focused()
        page.keyboard.type("and/or")
        expect(field).to_have_value("and/or")


def test_the_evidence_map_is_a_table_that_can_be_heard(browser: Browser, public: Site) -> None:
    """At both widths, modules are rows, phases are columns, and names say the direction."""
    for width in (360, 1280):
        with opened_page(browser, public, width=width) as page:
            page.goto("/catalogue/low-back-pain")

            page.get_by_text("Modules and phases").click()
            table = page.locator("#map").get_by_role("table")
            expect(table.get_by_role("columnheader")).to_contain_text(
                ["Module", "Acute", "Subacute", "Chronic"]
            )
            medicines = table.get_by_role("row", name="Medicines")
            cell = medicines.get_by_role("cell").nth(2)
            expect(cell).to_contain_text("Guidelines advise against it (conditional)")
            cell.get_by_role("link", name="Opioid analgesics in routine care").click()
            expect(page.locator("#low-back-pain-opioids")).to_be_in_viewport()
