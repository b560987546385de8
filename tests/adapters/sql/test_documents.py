"""The catalogue's entries as JSON documents, of this format and of earlier ones."""

import json
import zlib
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given

from evref.adapters.outbound.sql.catalogue import documents
from evref.adapters.outbound.sql.catalogue.documents import FORMAT, Document
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.evidence import Direction
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import an_entry
from tests.domain.strategies import entries

TODAY = date(2026, 3, 1)

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


def stored_in_1(document: object) -> Document:
    """As the migration to a history of publications left it."""
    return Document(1, None, None, zlib.compress(json.dumps(document).encode()))


@given(entry=entries())
def test_every_entry_reads_back_the_same(entry: Entry) -> None:
    """Whatever the domain allows in it, and its version."""
    read = documents.read(documents.write(entry), TODAY)

    assert read == entry
    assert entry == read
    assert hash(read) == hash(documents.read(documents.write(entry), TODAY))
    assert read.version == entry.version
    assert read.digest() == entry.digest()
    assert read.visible_interventions() == entry.visible_interventions()
    assert read.outline == entry.outline


def test_an_outline_is_read_without_the_interventions() -> None:
    """As overviews of thousands of entries need it."""
    entry = an_entry()
    document = documents.write(entry)

    read = documents.read(replace(document, content=b"damaged"), TODAY)

    assert read.outline == entry.outline
    with pytest.raises(StorageUnavailableError):
        read.visible_interventions()


def test_a_document_without_an_outline_has_that_of_its_interventions() -> None:
    """As earlier versions of evref wrote format 2."""
    entry = an_entry()
    document = documents.write(entry)
    record = json.loads(document.diagnosis or "")
    del record["outline"]

    read = documents.read(replace(document, diagnosis=json.dumps(record)), TODAY)

    assert read.outline == entry.outline


def test_entries_that_differ_are_not_equal() -> None:
    """In the diagnosis or in an intervention; and an entry is nothing else."""
    entry = an_entry()
    read = documents.read(documents.write(entry), TODAY)

    assert read != an_entry(name="Another")
    assert read != an_entry(interventions=[])
    assert read != documents.read(documents.write(an_entry(interventions=[])), TODAY)
    assert read.__eq__("an entry") is NotImplemented


def test_a_document_is_compact_json_that_a_person_can_read() -> None:
    """No white space between, and no escapes for other scripts."""
    document = documents.write(an_entry(name="Ménière disease", interventions=[]))

    assert '"name":"Ménière disease",' in zlib.decompress(document.content).decode()


def test_another_document_has_another_digest() -> None:
    """Whatever differs in it."""
    document = documents.write(an_entry())
    others = [
        documents.write(an_entry(name="Another")),
        replace(document, version=None),
        replace(document, diagnosis=None),
        replace(document, content=b""),
    ]

    assert len({each.digest for each in [document, *others]}) == 5


def test_interventions_that_no_rule_allows_any_more_are_storage_out_of_reach() -> None:
    """As where a rule was added since they were stored."""
    document = documents.write(an_entry())
    content = json.loads(zlib.decompress(document.content))
    content["interventions"][0]["title"] = "?"
    entry = documents.read(
        replace(document, content=zlib.compress(json.dumps(content).encode())), TODAY
    )

    with pytest.raises(StorageUnavailableError) as caught:
        entry.visible_interventions()

    assert "title" in caught.value.reason


def test_an_entry_of_format_1_was_checked_when_it_was_first_published() -> None:
    """No better day is known; all that format 1 had is in it."""
    entry = documents.read(stored_in_1(of_format_1()), date(2026, 11, 21))

    first, second = entry.interventions
    assert entry.diagnosis.checked_on == date(2026, 11, 21)
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
    entry = documents.read(stored_in_1(of_format_1(recommendation=recommendation)), TODAY)

    assert {each.evidence.direction for each in entry.interventions} == {direction}


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_a_format_that_is_not_known_is_refused(number: int) -> None:
    """As a later version of evref may have written it."""
    with pytest.raises(ValueError, match=f"format {number} is not known"):
        documents.read(replace(documents.write(an_entry()), format=number), TODAY)


@pytest.mark.parametrize(
    "found", [[], None, {}, {"diagnosis": [], "interventions": 1}, {"interventions": []}]
)
def test_what_is_no_document_of_format_1_is_refused(found: object) -> None:
    """Another kind of value, or other fields."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(stored_in_1(found), TODAY)


@pytest.mark.parametrize("content", [b"", b"no gzip", zlib.compress(b"no JSON")])
def test_what_is_no_json_is_refused(content: bytes) -> None:
    """Compressed or not."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(Document(1, None, None, content), TODAY)
