"""Grades of evidence, and references to works."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
)
from evref.domain.errors import InvalidValueError
from evref.testing.builders import a_reference


def faulty_fields(**given_fields: object) -> set[str]:
    with pytest.raises(InvalidValueError) as caught:
        a_reference(**given_fields)  # type: ignore[arg-type]  # each test gives one field

    return {fault.field for fault in caught.value.faults}


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        (a_reference(doi="10.1002/art.41142"), "https://doi.org/10.1002/art.41142"),
        (a_reference(doi="10.1002/art.41142", pmid="1"), "https://doi.org/10.1002/art.41142"),
        (a_reference(doi=None, pmid="31908163"), "https://pubmed.ncbi.nlm.nih.gov/31908163/"),
        (a_reference(doi=None, url="https://example.org/a"), "https://example.org/a"),
        (a_reference(url="https://example.org/a"), "https://example.org/a"),
        (a_reference(doi="10.1000/a#b?c"), "https://doi.org/10.1000/a%23b%3Fc"),
        (
            a_reference(doi="10.1002/(SICI)1097-0258(19980815)17:15<1661::AID>3.0.CO;2-2"),
            "https://doi.org/10.1002/(SICI)1097-0258(19980815)17:15%3C1661::AID%3E3.0.CO;2-2",
        ),
    ],
)
def test_the_url_is_given_or_comes_from_the_doi_or_the_pmid(reference: Reference, url: str) -> None:
    assert reference.url == url


def test_a_url_that_repeats_the_doi_does_not_change_the_reference() -> None:
    """Otherwise the catalogue's version would change although the served content does not."""
    said_once = a_reference(doi="10.1002/art.41142")

    said_twice = a_reference(doi="10.1002/art.41142", url=said_once.url)

    assert said_twice == said_once


visible = st.characters(codec="utf-8", exclude_categories=("C", "Z"))


@given(st.text(visible, min_size=1).map("10.1000/{}".format))
def test_the_path_of_the_url_has_the_whole_doi(doi: str) -> None:
    parts = urlsplit(a_reference(doi=doi).url)

    assert (parts.scheme, parts.netloc) == ("https", "doi.org")
    assert unquote(parts.path) == f"/{doi}"
    assert (parts.query, parts.fragment) == ("", "")


@pytest.mark.parametrize(
    "doi",
    [
        "",
        "art.41142",
        "10.1002",
        "10.1002/",
        "10.12/a",
        "doi:10.1002/art.41142",
        "https://doi.org/10.1002/art.41142",
        "10.1002/art 41142",
        "10.1002/art.41142\n",
        "10.1002/\x00",
        "10.1002/\ud800",
    ],
)
def test_a_doi_has_no_resolver_and_no_invisible_character(doi: str) -> None:
    assert "doi" in faulty_fields(doi=doi)


@pytest.mark.parametrize("pmid", ["", "0", "031908163", "3190816a", "1234567890", "٣", "1\n"])
def test_a_pmid_is_a_number_of_up_to_9_digits(pmid: str) -> None:
    assert faulty_fields(pmid=pmid) == {"pmid"}


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "javascript:alert(1)", "https://", "https:///a",
     "https://a b", "https://example.org/\n", "https://example.org/\ud800"],
)  # fmt: skip
def test_a_url_begins_with_http_or_https_and_has_a_host(url: str) -> None:
    assert faulty_fields(url=url) == {"url"}


def test_a_reference_needs_a_url_a_doi_or_a_pmid() -> None:
    assert faulty_fields(doi=None, pmid=None, url=None) == {"url"}


ALLOWED_DIRECTIONS = {
    Recommendation.STRONG_FOR: {Direction.FOR},
    Recommendation.CONDITIONAL_FOR: {Direction.FOR},
    Recommendation.CONDITIONAL_AGAINST: {Direction.AGAINST},
    Recommendation.STRONG_AGAINST: {Direction.AGAINST},
    Recommendation.NOT_STATED: set(Direction),
}


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("recommendation", Recommendation)
def test_a_direction_follows_from_the_recommendation(
    recommendation: Recommendation, direction: Direction
) -> None:
    if direction in ALLOWED_DIRECTIONS[recommendation]:
        assert Evidence(Certainty.LOW, recommendation, direction, None).direction is direction
    else:
        with pytest.raises(InvalidValueError) as caught:
            Evidence(Certainty.LOW, recommendation, direction, None)
        [allowed] = ALLOWED_DIRECTIONS[recommendation]
        assert str(caught.value) == (
            f"direction: must be {allowed} because the recommendation is {recommendation}"
        )
