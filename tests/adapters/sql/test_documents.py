"""The catalogue's entries as JSON documents, of this format and of earlier ones."""

import json
import zlib
from datetime import date
from typing import Any

import pytest

from evref.adapters.outbound.sql.catalogue import documents
from evref.adapters.outbound.sql.catalogue.documents import FORMAT
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.evidence import Direction
from evref.testing.builders import an_entry

PUBLISHED_ON = date(2026, 11, 21)

REFERENCE = {
    "title": "A guideline",
    "authors": "Kolasinski SL, et al.",
    "year": 2020,
    "source": "Arthritis & Rheumatology",
    "kind": "guideline",
    "doi": "10.1002/art.41142",
    "pmid": None,
    "url": None,
}


def of_format_1(**evidence: str) -> dict[str, Any]:
    """A document as the first version of evref wrote it."""
    return {
        "diagnosis": {
            "id": "knee-osteoarthritis",
            "name": "Knee osteoarthritis",
            "icd10_codes": ["M17"],
            "icd11_codes": ["FA01"],
            "enabled_modules": ["home"],
        },
        "interventions": [
            {
                "id": f"knee-osteoarthritis-{number}",
                "module": "home",
                "phase": "chronic",
                "title": "Exercise at home",
                "summary": "A guideline describes exercise at home for this diagnosis. " * 2 + ".",
                "fitt_vp": None,
                "evidence": {
                    "certainty": "moderate",
                    "recommendation": "not_stated",
                    "source_grade": None,
                }
                | evidence,
                "references": references,
            }
            for number, references in enumerate(
                [[REFERENCE, REFERENCE], [REFERENCE | {"year": 2021}, REFERENCE]]
            )
        ],
    }


def read_1(document: object) -> Entry:
    """Read as the migration to a history of publications left it."""
    return documents.read(zlib.compress(json.dumps(document).encode()), 1, PUBLISHED_ON)


def test_an_entry_reads_back_the_same() -> None:
    """The codec has the tests of every field."""
    entry = an_entry()

    assert documents.read(documents.write(entry), FORMAT, PUBLISHED_ON) == entry


def test_an_entry_of_format_1_was_checked_when_it_was_first_published() -> None:
    """No better day is known; all that format 1 had is in it."""
    entry = read_1(of_format_1())

    first, second = entry.interventions
    assert entry.diagnosis.checked_on == PUBLISHED_ON
    assert (entry.diagnosis.name, str(entry.diagnosis.icd10_codes[0])) == (
        "Knee osteoarthritis",
        "M17",
    )
    assert [cited.year for cited in first.references] == [2020]
    assert [cited.year for cited in second.references] == [2021, 2020]
    assert second.references[1] == first.references[0]
    assert first.references[0].doi == "10.1002/art.41142"


@pytest.mark.parametrize(
    ("recommendation", "direction"),
    [
        ("strong_for", Direction.FOR),
        ("conditional_for", Direction.FOR),
        ("conditional_against", Direction.AGAINST),
        ("strong_against", Direction.AGAINST),
        ("not_stated", Direction.UNCLEAR),
    ],
)
def test_the_direction_of_an_entry_of_format_1_follows_from_its_recommendation(
    recommendation: str, direction: Direction
) -> None:
    """Where none is stated, it is unclear."""
    entry = read_1(of_format_1(recommendation=recommendation))

    assert {each.evidence.direction for each in entry.interventions} == {direction}


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_a_format_that_is_not_known_is_refused(number: int) -> None:
    """As a later version of evref may have written it."""
    with pytest.raises(ValueError, match=f"format {number} is not known"):
        documents.read(documents.write(an_entry()), number, PUBLISHED_ON)


@pytest.mark.parametrize(
    "found", [[], None, {}, {"diagnosis": [], "interventions": 1}, {"interventions": []}]
)
def test_what_is_no_document_of_format_1_is_refused(found: object) -> None:
    """Another kind of value, or other fields."""
    with pytest.raises(ValueError, match=r"."):
        read_1(found)


@pytest.mark.parametrize("content", [b"", b"no gzip", zlib.compress(b"no JSON")])
def test_what_is_no_json_is_refused(content: bytes) -> None:
    """Compressed or not."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(content, FORMAT, PUBLISHED_ON)
