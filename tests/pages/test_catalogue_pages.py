"""The pages of the catalogue show the content of the API, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from html import unescape

import pytest
from werkzeug.test import TestResponse

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.principal import Readers
from evref.testing.builders import a_catalogue, an_entry, an_intervention
from tests.pages.site import EVERY_PAGE, Seen, a_site, bundled, bundled_site, page, publish
from tests.settings_pages.visitor import Visitor


@cache
def _key() -> str:
    return bundled_site().new_key(limit=100_000).token.text


def api(path: str) -> TestResponse:
    answer = Visitor(bundled_site()).get(path, headers={"Authorization": f"Bearer {_key()}"})
    assert answer.status_code == 200, answer.text
    return answer


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_page_holds_what_the_interface_gives() -> None:
    """`tests/docs/test_fields.py` tests that each field is shown."""
    for diagnosis_id in ("knee-osteoarthritis", "low-back-pain"):
        answer = api(f"/api/v1/diagnoses/{diagnosis_id}/interventions").json
        assert answer is not None
        diagnosis, seen = answer["meta"]["diagnosis"], page(f"/catalogue/{diagnosis_id}")

        assert [place for place in seen.ids if place.startswith(f"{diagnosis_id}-")] == [
            record["id"] for record in answer["data"]
        ]
        for shown in (diagnosis["name"], *diagnosis["icd10_codes"], *diagnosis["icd11_codes"]):
            assert shown in seen.text()
        for record in answer["data"]:
            text = seen.text(record["id"])
            for shown in (record["title"], record["summary"], record["cautions"] or ""):
                assert flat(shown) in text
            for statement in re.split("[:;] ", flat(record["evidence"]["source_grade"] or "")):
                assert statement in text
            for work in record["references"]:
                cited = f"{flat(work['authors'])} ({work['year']}). {flat(work['title'])}. "
                (place,) = (name for name in seen.ids if seen.text(name).startswith(cited))
                number = place.removeprefix("ref-")
                assert re.search(rf"\[{number}\] [^\[]* {work['year']}\b", text)
                assert work["url"] in seen.links


def test_the_list_holds_every_diagnosis_with_codes_and_counts() -> None:
    records = api("/api/v1/diagnoses").json
    assert records is not None

    seen = page("/catalogue")

    links = [link for link in seen.links if re.fullmatch("/catalogue/(?!changes).*", link)]
    assert links == [f"/catalogue/{record['id']}" for record in records["data"]]
    entries = Visitor(bundled_site()).get("/catalogue").text.partition('id="entries"')[2]
    rows = entries.split("<li>")[1:]
    for record, row in zip(records["data"], rows, strict=True):
        text = flat(unescape(re.sub("<[^>]*>", " ", row)))
        for name in (record["name"], *record["icd10_codes"], *record["icd11_codes"]):
            assert name in text
        interventions = bundled().entry(record["id"]).visible_interventions()
        counts = Counter(intervention.evidence.direction.value for intervention in interventions)
        for direction, number in counts.items():
            assert f"{number} {direction}" in text


def test_nothing_of_a_disabled_module_is_shown() -> None:
    hidden = an_intervention("k-hidden", module=Module.PREVENTION, title="Hidden by its module")
    shown = an_intervention("k-shown", module=Module.HOME, title="Shown by its module")
    entry = an_entry(modules=[Module.HOME], interventions=[hidden, shown])
    site = a_site(Readers.PUBLIC, a_catalogue(entry))

    for path in (
        "/",
        "/catalogue",
        "/catalogue?module=prevention",
        "/catalogue/knee-osteoarthritis",
        "/catalogue/knee-osteoarthritis?module=prevention",
        "/evidence",
    ):
        answer = Visitor(site).get(path)
        assert answer.status_code == 200
        assert "Hidden" not in answer.text
        assert "k-hidden" not in answer.text
    assert "Shown by its module" in Visitor(site).get("/catalogue/knee-osteoarthritis").text


@pytest.mark.parametrize("module", [None, Module.FITT_VIP, Module.HOME])
@pytest.mark.parametrize("phase", [None, Phase.CHRONIC])
def test_filters_show_what_the_interface_gives(module: Module | None, phase: Phase | None) -> None:
    asked = [f"{name}={value}" for name, value in (("module", module), ("phase", phase)) if value]
    query = f"?{'&'.join(asked)}" if asked else ""
    address = f"/api/v1/diagnoses/low-back-pain/interventions{query}"
    answer = api(address).json
    assert answer is not None

    seen = page(f"/catalogue/low-back-pain{query}")

    ids = [record["id"] for record in answer["data"]]
    if module is Module.FITT_VIP:
        # Only the table of doses, whose rows lead to the whole page.
        assert {f"/catalogue/low-back-pain#{name}" for name in ids} <= {*seen.links}
    else:
        assert [place for place in seen.ids if place.startswith("low-back-pain-")] == ids
    assert f'"{bundled_site().settings.base_url}{address}"' in seen.text()


@pytest.mark.parametrize("path", EVERY_PAGE[:-1])
def test_every_page_says_what_the_catalogue_is_not_and_which_it_is(path: str) -> None:
    text = page(path).text()

    assert DISCLAIMER in text
    assert "Reviewed by a clinician: 0 of 107 diagnoses. The catalogue is not complete" in text
    assert f"Catalogue {bundled().version}, checked against its sources between " in text


def test_a_catalogue_without_entries_and_a_diagnosis_without_interventions_have_pages() -> None:
    visitor = Visitor(a_site(Readers.PUBLIC, Catalogue([])))
    bare = a_site(Readers.PUBLIC, a_catalogue(an_entry(modules=[], interventions=[])))

    for path in ("/", "/catalogue", "/evidence"):
        assert visitor.get(path).status_code == 200
    assert "0 diagnoses." in visitor.get("/catalogue").text
    diagnosis = Visitor(bare).get("/catalogue/knee-osteoarthritis")
    assert "No module is enabled for this diagnosis" in diagnosis.text


def test_machines_are_led_to_the_json_and_find_codes_and_date() -> None:
    """The page has rel=alternate and microdata; its policy would block JSON-LD in a script."""
    address = "/api/v1/diagnoses"
    seen = page("/catalogue/low-back-pain")
    addresses = [value for tag, name, value in seen.attributes if (tag, name) == ("link", "href")]
    in_list = page("/catalogue").attributes
    assert f"http://127.0.0.1:8000{address}/low-back-pain/interventions" in addresses
    assert ("link", "href", address) in in_list
    assert ("link", "rel", "alternate") in in_list

    values = {(name, value) for _, name, value in seen.attributes}
    assert ("itemtype", "https://schema.org/MedicalWebPage") in values
    properties = [value for _, name, value in seen.attributes if name == "itemprop"]
    codes = bundled().entry("low-back-pain").diagnosis
    number = len(codes.icd10_codes) + len(codes.icd11_codes)
    assert properties.count("codeValue") == properties.count("codingSystem") == number
    # No clinician has reviewed it.
    assert "lastReviewed" not in {value for _, name, value in seen.attributes if name == "itemprop"}


@pytest.mark.parametrize("readers", Readers)
def test_everybody_can_read_who_runs_the_service(readers: Readers) -> None:
    site = a_site(readers, operator="Ward 7 & friends", contact="evidence+a@example.org")
    visitor = Visitor(site)

    about = Seen(visitor.get("/about").text)

    assert "Ward 7 & friends runs this service." in about.text()
    assert "mailto:evidence%2Ba@example.org" in about.links
    assert "not a medical device" in about.text()
    assert visitor.get("/evidence").status_code == 200
    assert "has not given a name" in page("/about").text()


def test_older_publications_are_on_further_pages() -> None:
    site = a_site(Readers.PUBLIC)
    for number in range(50):
        publish(site, Catalogue([an_entry(f"k-{number}")]))
    visitor = Visitor(site)

    first, last, beyond = (
        visitor.get("/catalogue/changes", query_string=query).text
        for query in ("", "page=2", "page=99")
    )

    assert [page.count("<section id=") for page in (first, last)] == [50, 1]
    assert 'href="/catalogue/changes?page=2" rel="next"' in first
    assert 'href="/catalogue/changes?page=1" rel="prev"' in last
    assert beyond == last
