"""Tests of converting entries to documents and back."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given

from evref.adapters.outbound.codec.document import from_document, to_document
from evref.adapters.outbound.codec.records import UnreadableError
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.effect import Measure
from evref.domain.catalogue.entry import Entry
from evref.domain.declaration import declared
from evref.testing.builders import a_reference, an_effect, an_entry, an_intervention
from tests.domain.strategies import entries


@given(entry=entries())
def test_every_entry_reads_back_the_same(entry: Entry) -> None:
    document = to_document(entry)
    stored = json.loads(json.dumps(document, default=str))

    assert from_document(document) == entry
    assert from_document(stored, is_valid=True) == entry


def test_a_document_of_an_earlier_release_keeps_its_version() -> None:
    """Release 0.2.0 stored the digits of a number as its source prints them."""
    effect = an_effect("0.80", ("0.70", "1.0"), Measure.RISK_RATIO)
    entry = an_entry(interventions=[an_intervention(effects=[effect])])
    document = json.loads(json.dumps(to_document(entry), default=str))

    assert document["interventions"][0]["effects"][0]["estimate"] == "0.80"
    assert from_document(document, is_valid=True).version == "66c112c23259ebf3"


@pytest.mark.parametrize("is_valid", [False, True], ids=["checked", "known to be valid"])
def test_equivalent_values_are_read_as_the_same_entry(*, is_valid: bool) -> None:
    entry = an_entry()
    document = to_document(entry)
    document["enabled_modules"].reverse()
    (reference,) = document["references"].values()
    reference["url"] = "https://doi.org/10.1002/art.41142"

    assert from_document(document, is_valid=is_valid) == entry


@pytest.mark.parametrize(
    ("authors", "key"),
    [
        ("Kolasinski SL, Neogi T", "kolasinski-2020"),
        ("Martin Ginis KA, van der Scheer JW", "martin-ginis-2020"),
        ("O\u2019Connor D", "oconnor-2020"),
        ("Sørensen Ä", "sorensen-2020"),
        ("NICE", "nice-2020"),
        ("National Institute for Health and Care Excellence", "national-institute-for-health-2020"),
        ("世界", "unnamed-2020"),
    ],
)
def test_the_key_of_a_reference_is_the_first_author_and_the_year(authors: str, key: str) -> None:
    entry = an_entry(interventions=[an_intervention(references=[a_reference(authors=authors)])])

    assert list(to_document(entry)["references"]) == [key]


def test_keys_of_references_with_the_same_author_and_year_differ_by_letters() -> None:
    references = [a_reference(pmid=str(number + 1)) for number in range(28)]
    entry = an_entry(interventions=[an_intervention(references=references)])
    letters = [key.removeprefix("kolasinski-2020") for key in to_document(entry)["references"]]

    assert (letters[0], letters[25:]) == ("a", ["z", "aa", "ab"])


EXERCISE = an_intervention(
    module=Module.FITT_VIP, references=[a_reference(doi="10.1000/a"), a_reference(pmid="1")]
)
DOCUMENT = to_document(an_entry(interventions=[EXERCISE], modules=[Module.FITT_VIP]))


@pytest.mark.parametrize("document", [None, [], "", {}, 5])
def test_a_malformed_document_is_rejected(document: object) -> None:
    with pytest.raises(UnreadableError):
        from_document(document)


NAMES = ", ".join(field.name for field in declared(Diagnosis) if field.name)


def test_each_record_with_an_error_is_named_with_its_path() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["extra"] = 1
    document["checked_on"] = "20261121"
    document["interventions"][0]["evidence"]["direction"] = "against"
    document["interventions"][0]["references"] = ["kolasinski-2020a", "who-2020"]
    document["references"]["kolasinski-2020b"]["year"] = "2020"
    document["interventions"].append({**DOCUMENT["interventions"][0], "title": "No"})

    with pytest.raises(UnreadableError) as caught:
        from_document(document)

    assert [f"{'.'.join(map(str, path))}: {why}" for path, why in caught.value.errors] == [
        (f"extra: is not a field; the fields are {NAMES}, interventions, references"),
        (
            'checked_on: must be a date (year, month and day) in quotes, such as "2026-11-21", '
            'not "20261121"'
        ),
        (
            "references.kolasinski-2020b.year: must be a whole number without quotes, such as "
            '2020, not "2020"'
        ),
        "interventions.0.evidence.direction: must be for because the recommendation is strong_for",
        (
            "interventions.0.references.1: who-2020 is not defined; the references are "
            "kolasinski-2020a, kolasinski-2020b"
        ),
        "interventions.1.title: must have 5 to 120 characters, has 2",
    ]
