"""The page of a diagnosis on paper, in short and in full."""

import subprocess
from collections import defaultdict
from xml.etree import ElementTree as ET

from playwright.sync_api import Browser, Page, expect

from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.in_words import contradicts, plain, short
from evref.domain.catalogue.vocabulary import DISCLAIMER, NAMES
from tests.browser.live import is_too_wide, opened_page
from tests.deploy.shell import needs
from tests.pages.site import bundled
from tests.settings_pages.site import Site


def assert_short_on_paper(page: Page, entry: Entry) -> int:
    """Assert what is printed of a diagnosis; return the number of sheets."""
    page.goto(f"/catalogue/{entry.diagnosis.id}")
    sheets = columns(page.pdf(prefer_css_page_size=True))

    shown = entry.visible_interventions()
    lines = [
        [line.lstrip("+\N{MINUS SIGN}? ") for line in side] for sheet in sheets for side in sheet
    ]
    groups = entry.card()
    headings = {f"{NAMES[group]} {len(groups[group])}" for group in groups}
    assert headings <= {line for side in lines for line in side}
    for side in lines:
        for line, below in zip(side, [*side[1:], *headings], strict=False):
            assert line not in headings or below not in headings, f"{entry.diagnosis.id}: {line}"
    assert all(any(len(side) > 2 for side in sheet) for sheet in sheets), "only head and foot"
    # Without spaces: a line can end within a word, at its hyphen.
    printed = "".join("".join(side) for sheet in sheets for side in sheet).replace(" ", "")
    for intervention in shown:
        for effect in intervention.effects[:1]:
            is_left_out = contradicts(effect, intervention.evidence.direction)
            if intervention.fitt_vp is None and not is_left_out:
                assert short(effect).replace(" ", "") in printed, intervention.id
    words = " ".join(line for side in sheets[0] for line in side)
    assert f"/catalogue/{entry.diagnosis.id}" in words.replace(" ", "")
    assert {"Catalogue", "printed"} <= {*words.split()}
    assert DISCLAIMER.partition(".")[0] in words
    return len(sheets)


def test_nine_diagnoses_in_ten_print_on_two_sheets(browser: Browser, public: Site) -> None:
    entries = bundled().entries
    with opened_page(browser, public) as page:
        sheets = [assert_short_on_paper(page, entry) for entry in entries]

    assert max(sheets) <= 3
    assert sum(number <= 2 for number in sheets) >= 0.9 * len(entries)


def test_the_whole_entry_prints_when_asked(browser: Browser, public: Site) -> None:
    with opened_page(browser, public) as page:
        page.goto("/catalogue/low-back-pain")
        short_form = columns(page.pdf(prefer_css_page_size=True))
        page.emulate_media(media="print")
        expect(page.get_by_role("navigation", name="Main")).not_to_be_visible()
        expect(page.get_by_text("Caution:").first).to_be_visible()
        expect(page.locator("#low-back-pain-opioids")).not_to_be_visible()
        page.goto("/catalogue/low-back-pain?print=full")
        expect(page.locator("#low-back-pain-opioids .sources")).to_be_visible()
        assert not is_too_wide(page)
        for intervention in bundled().entry("low-back-pain").visible_interventions():
            expect(page.locator(f"#{intervention.id} .scale p")).to_contain_text(
                [plain(effect) for effect in intervention.effects], use_inner_text=True
            )
        assert len(columns(page.pdf(prefer_css_page_size=True))) > len(short_form)


def test_a_browser_that_the_style_sheet_cannot_unfold_prints_all_the_same(
    browser: Browser, public: Site
) -> None:
    with opened_page(browser, public) as page:
        page.goto("/catalogue/low-back-pain?print=full")
        folded = page.locator("details:not([open])")
        before = folded.count()
        assert before
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert folded.count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert folded.count() == before


_XHTML = "{http://www.w3.org/1999/xhtml}"


Column = list[str]


"""Its lines, from the top."""


def columns(document: bytes) -> list[tuple[Column, Column]]:
    """Return the left and the right column of each page."""
    read = subprocess.run(
        [needs("pdftotext"), "-bbox", "-", "-"],
        input=document,
        stdout=subprocess.PIPE,
        check=True,
    )
    pages = []
    for page in ET.fromstring(read.stdout).iter(f"{_XHTML}page"):
        middle = float(page.attrib["width"]) / 2
        lines: tuple[dict[float, list[tuple[float, str]]], ...] = (
            defaultdict(list),
            defaultdict(list),
        )
        for word in page.iter(f"{_XHTML}word"):
            left, bottom = float(word.attrib["xMin"]), float(word.attrib["yMax"])
            near = lines[left >= middle]
            line = next((place for place in near if abs(place - bottom) < 4), bottom)
            near[line].append((left, word.text or ""))
        left_lines, right_lines = (
            [" ".join(text for _, text in sorted(side[place])) for place in sorted(side)]
            for side in lines
        )
        pages.append((left_lines, right_lines))
    return pages
