"""What the page of a diagnosis says first, what can be taken along, and who may keep it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import rispy
from flask import template_rendered

from evref.domain.accounts.readers import Readers
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Review
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.testing.builders import a_catalogue, a_diagnosis, a_reference, an_intervention
from tests.pages.site import Seen, a_site
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
            graded("heat", Recommendation.NOT_STATED, Direction.FOR, None),
        ),
    )


def text_of(entry: Entry, place: str | None = None, **headers: str) -> str:
    site = a_site(Readers.PUBLIC, Catalogue([entry]))
    return Seen(Visitor(site).get(KNEE, headers=headers).text).text(place)


def test_the_card_comes_first_in_four_groups() -> None:
    """Acute before chronic, with the short grade and a caution."""
    whole = text_of(knee())

    assert text_of(knee(), "card") == (
        "+Recommended Using rest Acute · Offer · NICE NG1 [1] "
        "Using walks Chronic · Class 1, level A · AHA 2022 [1] "
        f"+To consider Using tape Caution Chronic · Conditional · ACR 2019 [1]Caution: {CAUTION} "
        "\N{MINUS SIGN}Advised against, or found harmful or of no benefit "
        "Using knives Chronic · Strong against · BMJ 2017 [1] "
        "No graded recommendation Using heat Chronic · Sources favour it [1] "
        "Using herbs Chronic · Unclear [1]"
    )
    assert whole.index("Recommended") < whole.index("Evidence map") < whole.index("References")
    assert "Not graded" not in whole
    assert "Not stated" not in whole


def test_who_reviewed_an_entry_is_shown_and_counted() -> None:
    """On its page, and on every page, from the data."""
    entry = knee(reviewed=Review("A. N. Other, physiotherapist", date(2026, 3, 1)))

    assert "Not reviewed by a clinician. " in text_of(knee())
    seen = text_of(entry)
    assert "Reviewed by A. N. Other, physiotherapist on 1 March 2026." in seen
    assert "Reviewed by a clinician: 1 of 1 diagnosis." in seen


def test_the_name_is_also_in_the_language_of_the_browser() -> None:
    """Where the catalogue has it, and never in place of the English one."""
    assert "Knee osteoarthritis Gonarthrose" in text_of(knee(), **{"Accept-Language": "de-AT, en"})
    for accepted in ("en, de", "fr", ""):
        assert "Gonarthrose" not in text_of(knee(), **{"Accept-Language": accepted})


def test_a_body_is_rendered_once_for_a_version_and_language() -> None:
    """Also for members, and whatever cookies a browser has."""
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
    """New and from the cache alike; what selects the page is named."""
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
        (None, None),
    ],
)
def test_an_error_can_be_reported_to_the_operator(contact: str | None, link: str | None) -> None:
    """With the entry and its version filled in; where there is nobody to report to, not."""
    site = a_site(Readers.PUBLIC, Catalogue([knee()]), contact=contact)

    page = Visitor(site).get(KNEE).text

    links = [each for each in Seen(page).links if "osteoarthritis" in each and "?" in each]
    reports = [each for each in links if not each.startswith("/")]
    assert [each.startswith(link or "") for each in reports] == ([True] if link else [])
    assert ("Report an error" in page) == (link is not None)
    for report in reports:
        assert knee().version in report


def test_references_can_be_taken_along_as_ris() -> None:
    """Each work once, persons apart, a body whole, as a parser of others reads it."""
    works = [
        a_reference(authors="Kolasinski SL, Neogi T, et al.", pmid="31908163"),
        a_reference(
            title="Second\nline",
            authors="Lung, Heart, and Blood Institute",
            doi=None,
            url="https://example.org/x",
        ),
    ]
    one, two = (an_intervention(f"k-{n}", references=works) for n in (1, 2))
    site = a_site(Readers.PUBLIC, Catalogue([Entry(a_diagnosis(), (one, two))]))

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
    """The sitemap exists where everybody may read the catalogue."""
    visitor = Visitor(a_site(readers, a_catalogue()))

    robots, sitemap = visitor.get("/robots.txt"), visitor.get("/sitemap.xml")

    is_public = readers is Readers.PUBLIC
    assert robots.status_code == 200
    assert ("Disallow: /catalogue\n" in robots.text) == (not is_public)
    assert ("/sitemap.xml" in robots.text) == is_public
    assert sitemap.status_code == (200 if is_public else 404)
    assert (f"<loc>http://127.0.0.1:8000{KNEE}</loc>" in sitemap.text) == is_public
