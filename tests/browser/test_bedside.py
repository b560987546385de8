"""A clinician who types a few words and presses Enter sees the answer at once."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.live import opened_page
from tests.settings_pages.site import Site

_IS_SHOWN = """(words) => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, start = node.data.indexOf(words);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + words.length);
        const {top, bottom, height} = range.getBoundingClientRect();
        if (height && top >= 0 && bottom <= window.innerHeight) return true;
    }
    return false;
}"""


def _questions() -> list[list[str]]:
    """Return what is typed, the id of the diagnosis, and words of the answer."""
    lines = Path(__file__).with_name("bedside.tsv").read_text("utf-8").splitlines()[1:]
    return [line.split("\t")[1:] for line in lines]


def _ask(page: Page, typed: str) -> None:
    field = page.get_by_role("combobox", name="Find a diagnosis").first
    field.fill(typed)
    with page.expect_navigation():
        field.press("Enter")


@pytest.mark.parametrize(("width", "height", "at_least"), [(1366, 768, 23), (360, 740, 19)])
def test_the_answer_is_on_the_first_screen(
    browser: Browser, public: Site, width: int, height: int, at_least: int
) -> None:
    """The browser prefers German, so German abbreviations such as VHF lead to their diagnosis."""
    missed: list[str] = []
    with opened_page(browser, public, locale="de-AT") as page:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        page.goto("/evidence")
        for typed, diagnosis_id, words in _questions():
            _ask(page, typed)
            leads_there = page.locator(f'main a[href*="{diagnosis_id}"]').count() > 0
            if not (leads_there and page.evaluate(_IS_SHOWN, words)):
                missed.append(f"{typed}: {words} at {page.url}")

    assert len(_questions()) - len(missed) >= at_least, "\n".join(missed)


def test_who_asks_for_an_intervention_by_telephone_sees_what_is_said_of_it(
    browser: Browser, public: Site
) -> None:
    with opened_page(browser, public) as page:
        page.set_viewport_size(ViewportSize(width=360, height=740))
        page.goto("/evidence")
        for typed, *answer in (
            ("CPAP", "Positive airway pressure", "Recommended"),
            ("should I MRI back pain", "Routine early imaging", "Advised against"),
            ("Hexenschuss Röntgen", "Routine early imaging", "Advised against"),
            ("cortisone shot shoulder", "corticosteroid injection", "Caution", "Recommended"),
            ("ibuprofen back pain", "Non-steroidal anti-inflammatory drugs", "Low back pain"),
        ):
            _ask(page, typed)
            for words in answer:
                assert page.evaluate(_IS_SHOWN, words), f"{typed}: {words}"
