"""The search field: what it reads, where it leads, and what it suggests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from evref.domain.catalogue.search.reading import Reader
from evref.domain.principal import Readers
from tests.pages.site import Seen, a_site, bundled_site
from tests.servers import PATIENCE
from tests.settings_pages.visitor import Visitor


@pytest.fixture(scope="module")
def visitor() -> Visitor:
    return Visitor(bundled_site())


def seen(visitor: Visitor, text: str) -> Seen:
    return Seen(visitor.get("/catalogue", query_string={"q": text}).text)


@pytest.mark.parametrize(
    ("typed", "diagnosis_id"),
    [
        ("low back pain", "low-back-pain"),
        ("heart attack", "coronary-heart-disease"),
        ("COPD", "chronic-obstructive-pulmonary-disease"),
        ("M54.5", "low-back-pain"),
        (" m1711 ", "knee-osteoarthritis"),
        ("FA01.0&XK8G", "knee-osteoarthritis"),
    ],
)
def test_one_certain_code_and_one_whole_name_or_term_lead_to_the_page(
    visitor: Visitor, typed: str, diagnosis_id: str
) -> None:
    answer = visitor.get("/catalogue", query_string={"q": typed})

    address, _, searched = answer.headers["Location"].partition("?")
    assert (answer.status_code, address) == (303, f"/catalogue/{diagnosis_id}")
    page = Seen(visitor.get(answer.headers["Location"]).text)
    assert f"“{typed.strip()}” was read as" in page.text()
    others = visitor.get(f"/catalogue?q={searched.partition('=')[2]}&results=all")
    assert others.status_code == 200


def test_an_abbreviation_of_another_language_leads_to_the_results(visitor: Visitor) -> None:
    """TEP is a joint replacement in German, and pulmonary embolism in Spanish."""
    text = seen(visitor, "TEP").text()

    assert "“TEP” is wider than one diagnosis" in text
    assert "“TEP”, Spanish" in text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("diabetic foot exercise", "in 1 diagnosis."),
        ("fibromyalga", "with the spelling corrected"),
        ("stroke", "“stroke” is wider than one diagnosis"),
        # Even with a single diagnosis, it is not the name of that.
        ("elbow", "“elbow” is wider than one diagnosis"),
        ("knee pain", "“knee pain” can have many causes."),
        ("malaria", "The catalogue has 107 diagnoses, none named “malaria”."),
        ("the", "The search does not know “the”"),
        ("sepsis", "none named “sepsis”. These interventions mention it:"),
        ("xkjhq acute qwxz", "The search does not know “xkjhq”, “qwxz”, which may be misspelt"),
        ("Z99.9", "The catalogue has 107 diagnoses, none with this code or a broader code."),
        ("can't eat gluten", "Do you mean one of these? Coeliac disease"),
        ("H1N1", "No diagnosis matches your search."),
        (
            "xylophone exercise knee osteoarthritis",
            "Without “xylophone”.",
        ),
        ("CPAP", "Obstructive sleep apnoea G47.3"),
    ],
)
def test_any_other_search_shows_what_it_found_and_why(
    visitor: Visitor, typed: str, says: str
) -> None:
    assert says in seen(visitor, typed).text()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"q": "F32.1 A"}, "F32.1 A: A means excluded: not searched"),
        (
            {"q": "ICD-10-CM I48.92"},
            "I48.92: this code means another condition than atrial fibrillation",
        ),
        ({"q": "K58", "module": "prevention"}, "No diagnosis matches your search."),
    ],
)
def test_a_code_that_the_catalogue_has_is_not_said_to_be_missing(
    visitor: Visitor, query: dict[str, str], says: str
) -> None:
    """The code may be excluded, mean another condition, or be hidden by the module filter."""
    text = Seen(visitor.get("/catalogue", query_string=query).text).text()

    assert says in text
    assert "none with this code" not in text


def test_a_wider_code_leads_to_what_is_below_it(visitor: Visitor) -> None:
    page = visitor.get("/catalogue", query_string={"q": "F41"}).text

    assert "F41 is wider; it includes generalised anxiety disorder (F41.1)" in Seen(page).text()
    for link in ("generalised-anxiety-disorder", "panic-disorder"):
        assert f'<li><a href="/catalogue/{link}">' in page


@pytest.mark.parametrize(
    ("typed", "links", "says"),
    [
        ("M17.11; asthma", ["knee-osteoarthritis", "asthma"], "2 diagnoses."),
        (
            "M17.11; unicorn",
            ["knee-osteoarthritis"],
            "The search does not know “unicorn”,",
        ),
        ("M17.11; M54.5", ["knee-osteoarthritis", "low-back-pain"], "for ICD-10 M17.11, ICD-10"),
        ("asthma; knee pain", ["asthma", "knee-osteoarthritis"], "“knee pain” is wider than one"),
    ],
)
def test_a_semicolon_separates_what_is_searched_by_itself(
    visitor: Visitor, typed: str, links: list[str], says: str
) -> None:
    page = visitor.get("/catalogue", query_string={"q": typed}).text

    assert says in Seen(page).text()
    for link in links:
        assert f'<li><a href="/catalogue/{link}">' in page


def test_a_part_that_names_what_the_code_means_leads_to_the_page_with_it(visitor: Visitor) -> None:
    answer = visitor.get("/catalogue", query_string={"q": "M17.11; knee osteoarthritis"})

    assert answer.headers["Location"].startswith("/catalogue/knee-osteoarthritis?searched=M17.11")
    assert "was read as M17.11" in Seen(visitor.get(answer.headers["Location"]).text).text()


def test_interventions_are_shown_with_a_link_to_their_diagnosis(visitor: Visitor) -> None:
    shown = seen(visitor, "tai chi")

    assert "none named" not in seen(visitor, "statin pregnancy").text()
    assert "Fibromyalgia" in shown.text()
    assert "none named" not in shown.text()
    assert "The search does not know" not in shown.text()
    assert any(link.startswith("/catalogue/fibromyalgia#") for link in shown.links)


def suggested(visitor: Visitor, text: str) -> Any:
    return visitor.get("/catalogue/suggest", query_string={"q": text})


def test_suggestions_name_diagnoses_and_what_matches(visitor: Visitor) -> None:
    answer = suggested(visitor, "hearth attack")

    assert answer.json["suggestions"][0] == {
        "name": "Coronary heart disease",
        "matched": "heart attack",
        "kind": "diagnosis",
        "address": "/catalogue/coronary-heart-disease",
    }
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["ETag"]
    assert suggested(visitor, "").json == {"suggestions": []}
    assert suggested(visitor, "x" * 65).status_code == 422


def results(visitor: Visitor, text: str) -> Any:
    return visitor.get("/catalogue", query_string={"q": text})


@pytest.mark.parametrize("search", [suggested, results])
def test_one_search_runs_at_a_time(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, search: Callable[[Visitor, str], Any]
) -> None:
    """Suggestions and results share the limit.

    A page waits up to a second; a script gets 503 at once. Cached responses and requests
    without a search are not limited.
    """
    suggested(visitor, "gouut")
    began, may_end = threading.Event(), threading.Event()
    read = Reader.read

    def slow(reader: Reader, text: str) -> Any:
        began.set()
        may_end.wait(PATIENCE)
        return read(reader, text)

    monkeypatch.setattr(Reader, "read", slow)
    first = threading.Thread(target=search, args=(visitor, f"asthmaa {search.__name__}"))
    first.start()
    assert began.wait(PATIENCE)
    refused, kept = suggested(visitor, f"mi {search.__name__}"), suggested(visitor, "gouut")
    page = results(visitor, "migraiine")
    without_search = visitor.get("/catalogue")
    may_end.set()
    first.join()

    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert kept.status_code == without_search.status_code == 200
    assert (page.status_code, page.headers["Retry-After"]) == (503, "2")
    assert "Many people are searching at once." in page.text
    assert results(visitor, "migraiine").status_code == 200


def test_suggestions_are_as_open_as_the_pages() -> None:
    assert suggested(Visitor(a_site(Readers.MEMBERS)), "gout").status_code == 303


def test_a_word_that_did_not_count_is_not_said_to_be_read(visitor: Visitor) -> None:
    text = seen(visitor, "parkinson Gehtraining").text()

    assert "ithout “Gehtraining”" in text
    assert "“Gehtraining” was read as" not in text
