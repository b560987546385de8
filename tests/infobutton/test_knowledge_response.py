"""The feed in XML and in JSON: its content and its links."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.in_words import plain
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.principal import Readers
from evref.testing.builders import a_diagnosis, a_reference, an_effect, an_intervention
from tests.http.conftest import MakeService
from tests.http.service import BASE_URL, Service, entries
from tests.infobutton.asking import (
    ATOM,
    FEEDS,
    ICD10,
    ICD10_CM,
    KNEE,
    MESH,
    Parameters,
    ask,
    coded,
    documents,
    json_feed,
    named,
    sections,
    subtitle,
    summaries,
    target,
    titles,
    xml_feed,
)

pytestmark = pytest.mark.shared_service

HOSTILE = [
    "<script>alert(1)</script>",
    "]]></summary><entry/>",
    "{{ 7*7 }} &amp; &lt;",
    "é 🦵 \u202eesrever",
    "\ufffe",
]


def as_json(element: ET.Element) -> Any:
    """Return an element of the feed in the structure that it has in JSON."""
    names = {"{http://www.w3.org/XML/1998/namespace}base": "base"}
    names["{http://www.w3.org/XML/1998/namespace}lang"] = "lang"
    parts: dict[str, Any] = {names.get(name, name): text for name, text in element.attrib.items()}
    for child in element:
        name = child.tag.removeprefix(ATOM)
        if name in {"category", "entry", "link"}:
            parts.setdefault(name, []).append(as_json(child))
        else:
            parts[name] = as_json(child)
    return parts if element.text is None else parts | {"_value": element.text}


@pytest.mark.parametrize("asked", [{}, {"subTopic.v.c": "Q000628", "informationRecipient": "PROV"}])
def test_xml_and_json_say_the_same(service: Service, token: str, asked: Parameters) -> None:
    feed = json_feed(service, token, KNEE | asked)
    in_xml = as_json(xml_feed(service, token, KNEE | asked))

    assert in_xml.pop("link") != feed.pop("link")
    feed.pop("xsi")  # a declaration, not an attribute
    assert in_xml == feed


@pytest.mark.parametrize("media_type", FEEDS)
def test_the_link_of_a_feed_to_itself_keeps_the_media_type(
    service: Service, token: str, media_type: str
) -> None:
    response = ask(service, token, KNEE | {"knowledgeResponseType": media_type})
    text = response.text.replace("&amp;", "&")
    (address,) = re.findall(rf"{re.escape(BASE_URL)}(/infobutton[^\"]*ResponseType=[^\"]*)", text)

    again = service.get(address, token=token)

    assert again.mimetype == response.mimetype == media_type
    assert again.get_data() == response.get_data()


@pytest.mark.parametrize("accept", ["text/csv", "image/*", "*/*;q=0"])
def test_a_client_that_accepts_no_media_type_gets_406(
    service: Service, token: str, accept: str
) -> None:
    """A client that accepts any of the types is served, because a parameter selects the type."""
    for other in ("text/html", "application/json"):
        accepted = service.get(target(KNEE), token=token, headers={"Accept": other})
        assert accepted.mimetype == "text/xml"

    response = service.get(target(KNEE), token=token, headers={"Accept": accept})

    assert response.status_code == 406
    assert "application/atom+xml, application/json" in response.text
    assert response.headers["X-RateLimit-Remaining"] == "997"


def test_the_json_is_that_of_medlineplus_connect(service: Service, token: str) -> None:
    """Programs that read MedlinePlus Connect need the same members with the same types."""
    feed = json_feed(service, token, KNEE)

    assert feed["base"] == f"{BASE_URL}/"
    assert feed["lang"] == "en"
    assert feed["xsi"] == "http://www.w3.org/2001/XMLSchema-instance"
    assert all(entry["lang"] == "en" for entry in feed["entry"])
    assert feed["title"] == {"type": "text", "_value": "Evidence Reference Service"}
    assert feed["subtitle"] == {"type": "text", "_value": "Results for ICD-10 M17.1."}
    assert feed["author"] == {
        "name": {"_value": "Evidence Reference Service"},
        "uri": {"_value": BASE_URL},
    }
    assert feed["updated"] == {"_value": "2026-02-01T00:00:00Z"}
    assert feed["category"] == [
        {"scheme": "mainSearchCriteria.v.cs", "term": ICD10},
        {"scheme": "mainSearchCriteria.v.c", "term": "M17.1"},
    ]
    first = feed["entry"][0]
    assert first["title"] == {"type": "text", "_value": "Knee osteoarthritis"}
    assert first["link"][0]["href"] == f"{BASE_URL}/catalogue/knee-osteoarthritis"
    assert first["link"][0]["rel"] == "alternate"
    assert first["summary"]["type"] == "html"
    assert first["updated"] == {"_value": "2026-02-01T00:00:00Z"}


def test_every_feed_and_every_diagnosis_has_the_disclaimer(service: Service, token: str) -> None:
    """A record may show only the summary of an entry."""
    knee, empty = (json_feed(service, token, coded(ICD10, code)) for code in ("M17", "B05"))

    assert knee["rights"] == empty["rights"] == {"type": "text", "_value": DISCLAIMER}
    assert DISCLAIMER in knee["entry"][0]["summary"]["_value"]
    assert empty["entry"] == []


def test_a_diagnosis_and_each_of_its_modules_have_an_entry(service: Service, token: str) -> None:
    feed = json_feed(service, token, KNEE)

    assert titles(feed) == [
        "Knee osteoarthritis",
        "Knee osteoarthritis: Exercise (FITT-VP)",
        "Knee osteoarthritis: Home and self-care",
        "Knee osteoarthritis: Therapies and techniques",
    ]
    document, _, home, _ = feed["entry"]
    page = f"{BASE_URL}/catalogue/knee-osteoarthritis"
    assert document["id"]["_value"] == page
    assert (
        "Interventions by what the sources say about them: 8 for, 0 against, 0 unclear."
        in (document["summary"]["_value"])
    )
    assert home["id"]["_value"] == home["link"][0]["href"] == f"{page}?module=home"
    assert home["source"]["id"]["_value"] == page
    categories = home["category"]
    terms = [category["term"] for category in categories if category["scheme"] == "subTopic.v.c"]
    assert terms == ["Q000534", "Q000628", "D012648"]
    assert {"scheme": "subTopic.v.cs", "term": MESH} in categories


def test_a_link_leads_to_a_page(make_service: MakeService) -> None:
    service = make_service(catalogue_pages=Readers.PUBLIC)
    service.publish(Catalogue(entries()))

    feed = json_feed(service, service.token(), KNEE)

    for entry in feed["entry"]:
        address = entry["link"][0]["href"].removeprefix(BASE_URL)
        assert service.get(address).status_code == 200
    (_, _, home, _) = feed["entry"]
    anchors = re.findall('href="(.*?)#(.*?)"', home["summary"]["_value"])
    assert len(anchors) == 5
    for address, anchor in anchors:
        page = service.get(address.removeprefix(BASE_URL))
        assert f'id="{anchor}"' in page.text


def test_a_section_shows_the_evidence_of_each_intervention(
    make_service: MakeService,
) -> None:
    evidence = Evidence(
        Certainty.VERY_LOW, Recommendation.STRONG_AGAINST, Direction.AGAINST, 'Grade "D"'
    )
    works = [
        a_reference(title="First & best", authors="A B", year=2019, doi="10.1000/x"),
        a_reference(title="Second", doi=None, pmid="123"),
    ]
    against = replace(
        an_intervention(
            "a-1", diagnosis_id="a", module=Module.FITT_VIP, phase=Phase.ACUTE, references=works
        ),
        evidence=evidence,
    )
    ungraded = replace(
        an_intervention("a-2", diagnosis_id="a", module=Module.FITT_VIP),
        evidence=Evidence(Certainty.NOT_GRADED, Recommendation.NOT_STATED, Direction.UNCLEAR, None),
        effects=(an_effect(), an_effect(outcome="Disability")),
    )
    diagnosis = a_diagnosis("a", scope="Supportive care for people of every age.")
    service = make_service()
    service.publish(Catalogue([Entry(diagnosis, (against, ungraded))]))

    document, section = json_feed(service, service.token(), KNEE)["entry"]
    shown = " ".join(section["summary"]["_value"].split())

    assert (
        "<strong>Against</strong>: Guidelines advise against it (strong). Group: advised against. "
        "Recommendation: strong against. Certainty of the evidence (GRADE): very low. Grade in the "
        "source's words: “Grade &#34;D&#34;”. Source: guideline 2020. Phase: acute, from onset to "
        "a few weeks."
    ) in shown
    assert "<strong>Unclear</strong>" in shown
    assert f"<p>{plain(an_effect())}.</p>" in shown
    assert "Disability" not in shown
    assert "<p>Supportive care for people of every age.</p>" in document["summary"]["_value"]
    assert "Recommendation: not stated." in shown
    assert "not graded. Source: guideline 2020. Phase: chronic, later than subacute, and" in shown
    assert "<li>Frequency: Twice a week</li> <li>Type: Strength</li>" in shown
    assert "A B (2019). <a href=" in shown
    assert "First &amp; best</a>. Arthritis &amp; Rheumatology." in shown
    assert '<a href="https://pubmed.ncbi.nlm.nih.gov/123/">Second</a>' in shown


def test_interventions_that_are_named_beside_a_diagnosis_come_first(
    make_service: MakeService,
) -> None:
    knee = [
        an_intervention("k-run", module=Module.FITT_VIP, title="Running"),
        an_intervention("k-heat", module=Module.HOME, title="Heat packs"),
        an_intervention("k-tai-chi", module=Module.HOME, title="Tai chi in groups"),
    ]
    service = make_service()
    service.publish(Catalogue([Entry(a_diagnosis(), tuple(knee))]))
    token = service.token()

    plain = json_feed(service, token, KNEE)
    with_name = json_feed(service, token, KNEE | named("tai chi", "1"))

    assert documents(with_name) == documents(plain) == ["Knee osteoarthritis"]
    assert sections(plain) == ["fitt_vip", "home"]
    assert sections(with_name) == ["home", "fitt_vip"]
    summary = with_name["entry"][1]["summary"]["_value"]
    assert 0 < summary.index("Tai chi in groups") < summary.index("Heat packs")


def test_a_feed_is_as_new_as_the_newest_diagnosis_in_it(make_service: MakeService) -> None:
    """The feed changes only with the catalogue, and without entries it has the catalogue's date."""
    days = {"a": date(2026, 1, 1), "b": date(2026, 3, 1), "c": date(2026, 2, 1)}
    codes = {"a": "M17", "b": "M18", "c": "M17.1"}
    service = make_service()
    token = service.token()
    service.publish(
        Catalogue(
            Entry(a_diagnosis(name, icd10=[codes[name]], checked_on=day), ())
            for name, day in days.items()
        )
    )

    def updated(code: str) -> str:
        return str(json_feed(service, token, coded(ICD10, code))["updated"]["_value"])

    assert updated("M17.1") == "2026-02-01T00:00:00Z"
    assert updated("B05") == "2026-03-01T00:00:00Z"
    service.publish(Catalogue([]))
    service.clock.advance(seconds=1)
    assert updated("M17.1") == "1970-01-01T00:00:00Z"


def test_a_feed_has_the_first_of_many_diagnoses(make_service: MakeService) -> None:
    service = make_service()
    service.publish(Catalogue(Entry(a_diagnosis(f"knee-{n}"), ()) for n in range(21)))
    token = service.token()

    feed = json_feed(service, token, KNEE)

    assert len(feed["entry"]) == 20
    assert subtitle(feed) == "Results for ICD-10 M17.1. The first 20 of 21 diagnoses."


def test_the_categories_of_a_feed_repeat_the_request(service: Service, token: str) -> None:
    asked = coded(ICD10_CM, "M17.11", "1") | {
        "mainsearchcriteria.v.dn": "knee",
        "taskContext.c.c": "PROBLISTREV",
        "informationRecipient": "PROV",
        "informationRecipient.languageCode.c": "en",
    }

    feed = json_feed(service, token, asked)

    assert [(category["scheme"], category["term"]) for category in feed["category"]] == [
        ("mainSearchCriteria.v.cs", ICD10_CM),
        ("mainSearchCriteria.v.c", "M17.11"),
        ("mainSearchCriteria.v.dn", "knee"),
        ("taskContext.c.c", "PROBLISTREV"),
        ("informationRecipient", "PROV"),
        ("informationRecipient.languageCode.c", "en"),
    ]


def test_the_id_of_a_feed_is_its_address(service: Service, token: str) -> None:
    asked = KNEE | named("Guillain Barré", "1") | {"subTopic.v.c": "Q000628"}
    feed = json_feed(service, token, asked)

    address = feed["id"]["_value"]
    again = service.get(address.removeprefix(BASE_URL), token=token)

    assert address.startswith(f"{BASE_URL}/infobutton?")
    assert again.get_data() == ask(service, token, asked).get_data()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_of_the_catalogue_is_text(make_service: MakeService, text: str) -> None:
    """It is unchanged in a title, and escaped in a summary, which is HTML."""
    title = text.ljust(5, "x")
    intervention = an_intervention(
        "a-1", diagnosis_id="a", title=title, summary=text.ljust(80, "x")
    )
    service = make_service()
    service.publish(Catalogue([Entry(a_diagnosis("a", name=title), (intervention,))]))
    token = service.token()

    document, section = xml_feed(service, token, KNEE).findall(f"{ATOM}entry")
    in_json = json_feed(service, token, KNEE)

    assert document.findtext(f"{ATOM}title") == title.replace("\ufffe", "\ufffd")
    assert in_json["entry"][0]["title"]["_value"] == title
    summary = section.findtext(f"{ATOM}summary") or ""
    assert "<script" not in summary
    assert "<entry" not in summary
    assert "\u202e" not in summary


def test_the_subtitle_says_of_each_criterion_what_came_of_it(service: Service, token: str) -> None:
    asked = KNEE | coded(ICD10, "B05", "1") | coded("1.2.3", "4", "2") | named("unicorn", "3")

    said = subtitle(json_feed(service, token, asked)).split(". ")

    assert "ICD-10 M17.1: 1 diagnosis" in said
    assert "The catalogue does not contain ICD-10 B05" in said
    assert "Not searched: code 4 of the code system 1.2.3" in said
    assert "The catalogue does not contain “unicorn”." in said


@pytest.mark.parametrize(
    ("oid", "what"),
    [
        ("2.16.840.1.113883.6.88", "a medicine (RxNorm)"),
        ("urn:oid:2.16.840.1.113883.6.69", "a medicine (NDC)"),
        ("2.16.840.1.113883.6.73", "a medicine (ATC)"),
        ("2.16.840.1.113883.6.1", "a test (LOINC)"),
        ("2.16.840.1.113883.6.12", "a procedure (CPT)"),
    ],
)
def test_what_is_no_diagnosis_leads_to_the_search(
    service: Service, token: str, oid: str, what: str
) -> None:
    """It is not called a diagnosis that the catalogue lacks."""
    feed = json_feed(service, token, coded(oid, "5640", name="exercise"))
    without_name = json_feed(service, token, coded(oid, "5640"))

    assert what in subtitle(feed)
    assert "does not contain" not in subtitle(feed)
    (entry,) = feed["entry"]
    assert entry["title"]["_value"] == "Interventions for “exercise”"
    assert entry["link"][0]["href"] == f"{BASE_URL}/catalogue?q=exercise"
    assert "does not contain" not in subtitle(without_name)
    assert without_name["entry"] == []


@pytest.mark.parametrize("code", ["Q000009", "Q000744"])
def test_cautions_are_subtopics(make_service: MakeService, code: str) -> None:
    caution = "Serious bleeding in older people: a made-up warning for this test."
    service = make_service()
    interventions = (
        an_intervention("k-drug", module=Module.PHARMACONEUTRAL, title="A drug", cautions=caution),
        an_intervention("k-other", module=Module.PHARMACONEUTRAL, title="Another"),
        an_intervention("k-home", module=Module.HOME, title="At home"),
    )
    service.publish(Catalogue([Entry(a_diagnosis(), interventions)]))

    feed = json_feed(service, service.token(), KNEE | {"subTopic.v.c": code})

    assert sections(feed) == ["pharmaconeutral"]
    section = feed["entry"][1]
    assert "A drug" in section["summary"]["_value"]
    assert "Another" not in section["summary"]["_value"]
    terms = [part["term"] for part in section["category"] if part["scheme"] == "subTopic.v.c"]
    assert {"Q000009", "Q000744", "Q000188"} <= {*terms}


def test_a_broader_code_is_marked(make_service: MakeService) -> None:
    service = make_service()
    knee = a_diagnosis(icd10=["M17", "M25"], broader_codes=("M25",))
    service.publish(Catalogue([Entry(knee, ())]))

    summary = summaries(json_feed(service, service.token(), KNEE))["knee-osteoarthritis"]

    assert "ICD-10: M17, M25 (also means other conditions). ICD-11:" in summary


def test_a_wider_code_says_what_is_below_it(make_service: MakeService) -> None:
    service = make_service()
    service.publish(Catalogue([Entry(a_diagnosis(icd10=["M17.0"]), ())]))

    feed = json_feed(service, service.token(), coded(ICD10, "M17"))

    assert feed["entry"] == []
    assert "M17 is wider; it includes Knee osteoarthritis (M17.0)" in subtitle(feed)
    assert "does not contain" not in subtitle(feed)
