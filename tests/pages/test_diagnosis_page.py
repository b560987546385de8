"""The page of a diagnosis: its head and card, downloads, and caching."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import rispy
from flask import template_rendered

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.in_words import contradicts, plain, short
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.principal import Readers
from evref.testing.builders import a_catalogue, a_diagnosis, a_reference, an_intervention
from tests.pages.site import Seen, a_site, bundled, page
from tests.settings_pages.visitor import Visitor

CAUTION = "A regulator warns of harm in pregnancy, in a boxed warning of 2023."
KNEE = "/catalogue/knee-osteoarthritis"


def graded(  # noqa: PLR0917 - as in the table of the entry
    name: str,
    recommendation: Recommendation,
    direction: Direction,
    grade: str | None,
    phase: Phase = Phase.CHRONIC,
    cautions: str | None = None,
) -> Intervention:
    made = an_intervention(f"k-{name}", title=f"Using {name}", phase=phase, cautions=cautions)
    return replace(made, evidence=Evidence(Certainty.NOT_GRADED, recommendation, direction, grade))


def knee(**optional: Any) -> Entry:
    strong, weak, against = (
        Recommendation.STRONG_FOR,
        Recommendation.CONDITIONAL_FOR,
        Recommendation.STRONG_AGAINST,
    )
    return Entry(
        a_diagnosis(terms={"de": ("Gonarthrose", "Kniearthrose")}, **optional),
        (
            graded(
                "walks", strong, Direction.FOR, "AHA/ACC/HFSA 2022: Class 1, level of evidence A"
            ),
            graded("rest", strong, Direction.FOR, "NICE NG1: offer", Phase.ACUTE),
            graded("tape", weak, Direction.FOR, "ACR 2019: conditional", cautions=CAUTION),
            graded("knives", against, Direction.AGAINST, "BMJ 2017: strong against"),
            graded("herbs", Recommendation.NOT_STATED, Direction.UNCLEAR, None),
            graded("lasers", Recommendation.NOT_STATED, Direction.AGAINST, None),
            graded("heat", Recommendation.NOT_STATED, Direction.FOR, None),
        ),
    )


def text_of(entry: Entry, place: str | None = None, **headers: str) -> str:
    site = a_site(Readers.PUBLIC, Catalogue([entry]))
    return Seen(Visitor(site).get(KNEE, headers=headers).text).text(place)


def test_the_card_comes_first_in_six_groups() -> None:
    """What is advised against follows what is recommended; a line names its phase if it is rare."""
    whole = text_of(knee())

    assert text_of(knee(), "card") == (
        "+ Recommended 2 Using restAcute · guideline 2020 [1] "
        "Using walksguideline 2020 [1] "
        "\N{MINUS SIGN} Advised against 1 Using knivesguideline 2020 [1] "
        "\N{MINUS SIGN} No benefit found, or harm 1 Using lasersguideline 2020 [1] "
        "? Unclear, or sources disagree 1 Using herbsguideline 2020 [1] "
        f"+ To consider 1 Using tape Cautionguideline 2020 [1]Caution: {CAUTION} "
        "+ Supported, strength not stated 1 Using heatguideline 2020 [1] "
        "Lines without a phase are chronic (later, or long-term)."
    )
    assert whole.index("Evidence map") < whole.index("published work")
    assert "Not graded" not in whole
    assert "Not stated" not in whole


def test_a_preview_shows_the_first_lines() -> None:
    site = a_site(Readers.PUBLIC, Catalogue([knee()]))
    card, doses = (
        {value for tag, name, value in seen.attributes if (tag, name) == ("meta", "content")}
        for seen in (Seen(Visitor(site).get(KNEE).text), page(f"{KNEE}?module=fitt_vip"))
    )

    assert {
        "Knee osteoarthritis: what the evidence says",
        (
            "Knee osteoarthritis (ICD-10 M17). Recommended (2): Using rest. "
            "Advised against (1): Using knives. No benefit found, or harm (1): Using lasers."
        ),
    } <= card
    assert "Knee osteoarthritis: exercise doses" in doses
    assert any("Tai chi: Twice a week" in text for text in doses)


def test_filters_act_on_the_card_too() -> None:
    site = a_site(Readers.PUBLIC, Catalogue([knee()]))
    text = Visitor(site).get(f"{KNEE}?phase=acute").text
    seen = Seen(text)

    assert "+ Recommended 1 Using restAcute · guideline 2020 [1]" in seen.text("card")
    assert "Using walks" not in seen.text("card")
    assert "1 intervention of 7 · Acute. Show all" in seen.text()
    assert "#k-rest" in seen.links
    empty = Seen(Visitor(site).get(f"{KNEE}?module=prevention").text)
    assert "No intervention matches these filters" in empty.text("card")


def test_every_effect_is_a_sentence_with_its_figures() -> None:
    for entry in bundled().entries:
        seen = page(f"/catalogue/{entry.diagnosis.id}")
        for intervention in entry.visible_interventions():
            for effect in intervention.effects:
                assert plain(effect) in seen.text(intervention.id)
            for effect in intervention.effects[:1]:
                is_left_out = contradicts(effect, intervention.evidence.direction)
                if intervention.fitt_vp is None and not is_left_out:
                    assert short(effect) in seen.text("card")


def test_what_an_entry_covers_is_said_and_mainstays_lead() -> None:
    entry = knee(
        scope="Conservative care and referral.", not_covered="operations", mainstays=("k-walks",)
    )
    seen = text_of(entry, "card")

    assert "Not covered: operations. Covered: Conservative care and referral." in text_of(entry)
    assert seen.index("Using walks") < seen.index("Using rest")


def test_the_head_says_how_old_the_sources_are() -> None:
    entry = knee()
    old = a_reference(title="The oldest", year=2003)
    first = replace(entry.interventions[0], references=(a_reference(), old))

    assert "Sources 2020, checked on 1 February 2026." in text_of(entry)
    aged = Entry(entry.diagnosis, (first, *entry.interventions[1:]))
    assert "Sources 2003 to 2020, checked on" in text_of(aged)


def test_who_reviewed_an_entry_is_shown_and_counted() -> None:
    entry = knee(reviewed=Review("A. N. Other, physiotherapist", date(2026, 3, 1)))

    assert "Not reviewed by a clinician. " in text_of(knee())
    seen = text_of(entry)
    assert "Reviewed by A. N. Other, physiotherapist on 1 March 2026." in seen
    assert "Reviewed by a clinician: 1 of 1 diagnosis." in seen


def test_the_name_is_also_in_the_language_of_the_browser() -> None:
    assert "Knee osteoarthritis Gonarthrose" in text_of(knee(), **{"Accept-Language": "de-AT, en"})
    for accepted in ("en, de", "fr", ""):
        assert "Gonarthrose" not in text_of(knee(), **{"Accept-Language": accepted})


def test_a_body_is_rendered_once_for_a_version_and_language() -> None:
    site, bodies = a_site(Readers.PUBLIC, Catalogue([knee()])), []

    def note(sender: object, template: Any, context: dict[str, Any]) -> None:
        bodies.extend([context["language"]] if template.name.endswith("diagnosis.html") else [])

    member = Visitor(site)
    member.sign_in()
    template_rendered.connect(note, site.app)
    for _ in range(2):
        for language in ("de", "en", "fr", "en-GB"):
            for visitor in (member, Visitor(site)):
                answer = visitor.get(KNEE, headers={"Accept-Language": language})
                assert ("Signed in" in answer.text) == (visitor is member)
                assert ("Gonarthrose" in answer.text) == (language == "de")

    assert sorted(bodies) == ["de", "en"]


@pytest.mark.parametrize(
    ("readers", "query", "headers", "is_public"),
    [
        (Readers.PUBLIC, "", {}, True),
        (Readers.PUBLIC, "", {"device": "known"}, True),
        (Readers.PUBLIC, "", {"session": "unknown"}, False),
        (Readers.PUBLIC, "", {"X-Forwarded-Email": "wrong"}, False),
        (Readers.PUBLIC, "?module=home", {}, False),
        (Readers.PUBLIC, "?utm_source=x", {}, False),
        (Readers.MEMBERS, "", {}, False),
    ],
)
def test_only_what_everybody_may_see_is_in_shared_caches(
    readers: Readers, query: str, headers: dict[str, str], is_public: bool
) -> None:
    site = a_site(readers, Catalogue([knee()]), sign_in_header="X-Forwarded-Email")
    visitor = Visitor(site)
    for name in headers.keys() & {"device", "session"}:
        visitor.set_cookie(f"evref_{name}", headers.pop(name))
    path = KNEE if readers is Readers.PUBLIC else "/evidence"

    for _ in range(2):
        answer = visitor.get(f"{path}{query}", headers=headers)

        assert answer.status_code == 200
        cache = "public, max-age=300" if is_public else "private, no-cache"
        assert answer.headers["Cache-Control"] == cache
        assert answer.headers["Vary"] == "Accept-Encoding, Cookie, Accept-Language"


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        (
            "a+b@example.org",
            "mailto:a%2Bb@example.org?subject=Error%20in%20knee-osteoarthritis&body=Entry%3A%20",
        ),
        (
            "https://example.org/r?x=1",
            "https://example.org/r?x=1&entry=knee-osteoarthritis&version=",
        ),
        ("https://example.org/#x", "https://example.org/?entry=knee-osteoarthritis&version="),
        (None, None),
    ],
)
def test_an_error_can_be_reported_to_the_operator(contact: str | None, link: str | None) -> None:
    site = a_site(Readers.PUBLIC, Catalogue([knee()]), contact=contact)

    text = Visitor(site).get(KNEE).text

    links = [address for address in Seen(text).links if "osteoarthritis" in address]
    reports = [address for address in links if "?" in address and not address.startswith("/")]
    assert [report.startswith(link or "") for report in reports] == ([True] if link else [])
    assert ("Report an error" in text) == (link is not None)
    for report in reports:
        assert knee().version in report


def test_references_can_be_taken_along_as_ris() -> None:
    works = [
        a_reference(authors="Kolasinski SL, Neogi T, et al.", pmid="31908163"),
        a_reference(
            title="Second\nline",
            authors="Lung, Heart, and Blood Institute",
            doi=None,
            url="https://example.org/x",
        ),
    ]
    interventions = tuple(an_intervention(f"k-{n}", references=works) for n in (1, 2))
    site = a_site(Readers.PUBLIC, Catalogue([Entry(a_diagnosis(), interventions)]))

    answer = Visitor(site).get(f"{KNEE}.ris")

    assert answer.headers["Content-Type"] == "application/x-research-info-systems; charset=utf-8"
    assert 'filename="knee-osteoarthritis.ris"' in answer.headers["Content-Disposition"]
    assert rispy.loads(answer.text) == [
        {
            "type_of_reference": "JOUR",
            "authors": ["Kolasinski, SL", "Neogi, T"],
            "title": "A guideline",
            "secondary_title": "Arthritis & Rheumatology",
            "year": "2020",
            "doi": "10.1002/art.41142",
            "accession_number": "31908163",
            "urls": ["https://doi.org/10.1002/art.41142"],
        },
        {
            "type_of_reference": "RPRT",
            "authors": ["Lung, Heart, and Blood Institute"],
            "title": "Second line",
            "secondary_title": "Arthritis & Rheumatology",
            "year": "2020",
            "urls": ["https://example.org/x"],
        },
    ]


@pytest.mark.parametrize("readers", Readers)
def test_crawlers_are_told_what_is_public(readers: Readers) -> None:
    visitor = Visitor(a_site(readers, a_catalogue()))

    robots, sitemap = visitor.get("/robots.txt"), visitor.get("/sitemap.xml")

    is_public = readers is Readers.PUBLIC
    assert robots.status_code == 200
    assert ("Disallow: /catalogue\n" in robots.text) == (not is_public)
    assert ("/sitemap.xml" in robots.text) == is_public
    assert sitemap.status_code == (200 if is_public else 404)
    assert (f"<loc>http://127.0.0.1:8000{KNEE}</loc>" in sitemap.text) == is_public
