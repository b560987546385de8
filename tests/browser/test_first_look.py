"""What the page of a diagnosis shows first, on a telephone and a desk, and its sheet of doses."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import CardGroup
from tests.browser.live import opened_page
from tests.pages.site import bundled
from tests.settings_pages.site import Site

_FIRST_LINE = "document.querySelector('#advised_against li').getBoundingClientRect().top + scrollY"
_UNHEADED = """
[...document.querySelectorAll('.of')].flatMap(group => {
  const heading = group.querySelector('h2').getBoundingClientRect();
  return [...group.querySelectorAll('li')].filter(line => {
    const place = line.getBoundingClientRect();
    return place.top < heading.bottom - 1 || place.left < heading.left - 1
      || place.right > heading.right + 1;
  }).map(line => line.textContent);
})
"""
"""The lines that no heading of their group is above, over their whole width."""
_HELD = "[...document.querySelectorAll('.right, .sides > .of')].map(part => part.className)"


@pytest.fixture
def reader(browser: Browser, public: Site) -> Iterator[Page]:
    with opened_page(browser, public) as page:
        yield page


def test_what_is_advised_against_begins_on_the_first_screen_of_a_telephone(reader: Page) -> None:
    reader.set_viewport_size({"width": 360, "height": 740})
    against = [
        entry.diagnosis.id
        for entry in bundled().entries
        if any(
            intervention.evidence.group is CardGroup.ADVISED_AGAINST
            for intervention in entry.visible_interventions()
        )
    ]
    assert against
    for name in against:
        reader.goto(f"/catalogue/{name}")
        assert reader.evaluate(_FIRST_LINE) <= 720, name


def test_no_group_goes_on_without_its_heading(reader: Page) -> None:
    """What the sources favour is on the left, and what they do not on the right."""
    reader.set_viewport_size({"width": 1366, "height": 768})
    for entry in bundled().entries:
        reader.goto(f"/catalogue/{entry.diagnosis.id}")
        assert reader.evaluate(_UNHEADED) == [], entry.diagnosis.id
        for part in reader.evaluate(_HELD):
            assert part in {"right", "of for"}, entry.diagnosis.id


def test_the_doses_of_each_diagnosis_are_one_sheet(reader: Page) -> None:
    for entry in bundled().entries:
        if entry.visible_interventions(Module.FITT_VIP):
            reader.goto(f"/catalogue/{entry.diagnosis.id}?module=fitt_vip")
            sheets = re.findall(rb"/Type\s*/Page\b", reader.pdf(prefer_css_page_size=True))
            assert len(sheets) == 1, entry.diagnosis.id
