"""The JSON Schema of a catalogue file says what the domain says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from datetime import date
from enum import StrEnum
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evref.adapters.outbound.codec import from_document, records, to_document
from evref.adapters.outbound.files import SCHEMA_FILE
from evref.adapters.outbound.files.writing import text_of_entry
from evref.domain.catalogue import bounds
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import RESERVED_IDS, Diagnosis, Module, Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.finer_codes import CodeList, FinerCodes
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import Phase
from evref.domain.errors import InvalidValueError
from evref.domain.rules import SLUG, Length
from evref.testing.builders import a_diagnosis, an_intervention
from tests.domain.strategies import catalogues

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
DIAGNOSIS = SCHEMA["properties"]
INTERVENTION, FITT_VP, EVIDENCE, REFERENCE = (
    SCHEMA["$defs"][name]["properties"]
    for name in ("intervention", "fitt_vp", "evidence", "reference")
)


def test_the_schema_is_one_of_draft_2020_12() -> None:
    """Editors take it by this name."""
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (SCHEMA["$defs"]["module"], Module),
        (INTERVENTION["phase"], Phase),
        (EVIDENCE["certainty"], Certainty),
        (EVIDENCE["recommendation"], Recommendation),
        (EVIDENCE["direction"], Direction),
        (REFERENCE["kind"], ReferenceKind),
    ],
)
def test_the_enumerations_are_those_of_the_domain(
    values: dict[str, Any], kind: type[StrEnum]
) -> None:
    """All values, in order."""
    assert values["enum"] == list(kind)


def without(optional: Iterable[str], fields: Iterable[str]) -> list[str]:
    assert {*optional} < {*fields}
    return [name for name in fields if name not in optional]


def test_the_fields_are_those_of_the_records() -> None:
    """All of them, in order, but for where a file has optional ones."""
    assert without(records.OPTIONAL_OF_DIAGNOSIS, DIAGNOSIS) == [
        *(*records.DIAGNOSIS, "interventions", "references")
    ]
    assert without(records.OPTIONAL_OF_INTERVENTION, INTERVENTION) == list(records.INTERVENTION)
    assert list(FITT_VP) == list(records.FITT_VP)
    assert list(EVIDENCE) == list(records.EVIDENCE)
    assert list(REFERENCE) == [*records.REFERENCE, *records.PLACES_OF_A_REFERENCE]


@pytest.mark.parametrize(
    ("schema", "length"),
    [
        (DIAGNOSIS["id"], bounds.DIAGNOSIS_ID),
        (DIAGNOSIS["name"], bounds.DIAGNOSIS_NAME),
        (DIAGNOSIS["terms"]["additionalProperties"]["items"], bounds.TERM),
        (DIAGNOSIS["reviewed"]["properties"]["by"], bounds.REVIEWER),
        (INTERVENTION["id"], bounds.INTERVENTION_ID),
        (INTERVENTION["title"], bounds.INTERVENTION_TITLE),
        (INTERVENTION["summary"], bounds.SUMMARY),
        (INTERVENTION["cautions"], bounds.CAUTIONS),
        *((element, bounds.FITT_VP_ELEMENT) for element in FITT_VP.values()),
        (EVIDENCE["source_grade"], bounds.SOURCE_GRADE),
        (REFERENCE["title"], bounds.REFERENCE_TITLE),
        (REFERENCE["authors"], bounds.AUTHORS),
        (REFERENCE["source"], bounds.SOURCE),
    ],
)
def test_the_lengths_are_those_of_the_domain(schema: dict[str, Any], length: Length) -> None:
    """From which the schemas of the API are made."""
    assert (schema["minLength"], schema["maxLength"]) == (length.shortest, length.longest)


def test_the_limits_are_those_of_the_domain() -> None:
    """Years, numbers and the forms of codes and ids."""
    assert DIAGNOSIS["id"]["pattern"] == INTERVENTION["id"]["pattern"] == f"^{SLUG}$"
    assert DIAGNOSIS["id"]["not"]["enum"] == list(RESERVED_IDS)
    terms = DIAGNOSIS["terms"]["additionalProperties"]
    assert terms["maxItems"] == Diagnosis.MOST_TERMS
    prefixes = {
        name: SCHEMA["$defs"][listed["$ref"].rpartition("/")[2]]["properties"]
        for name, listed in DIAGNOSIS["finer_codes"]["properties"].items()
    }
    assert {
        name: {field: items["items"]["pattern"] for field, items in fields.items()}
        for name, fields in prefixes.items()
    } == {
        code_list: dict.fromkeys(("includes", "excludes"), f"^{code_list.prefix_pattern}$")
        for code_list in CodeList
    }
    assert REFERENCE["year"]["minimum"] == Reference.FIRST_YEAR
    assert REFERENCE["year"]["maximum"] == Reference.LAST_YEAR
    assert DIAGNOSIS["icd10"]["items"]["pattern"] == f"^{Icd10Code.PATTERN}$"
    assert DIAGNOSIS["icd11"]["items"]["pattern"] == f"^{Icd11Code.PATTERN}$"


@settings(max_examples=30)
@given(catalogues())
def test_what_the_domain_takes_the_schema_takes(catalogue: Catalogue) -> None:
    """An export is therefore always a file that editors call valid."""
    for entry in catalogue.entries:
        assert list(VALIDATOR.iter_errors(yaml.safe_load(text_of_entry(entry)))) == []


ENTRY = to_document(
    Entry(
        a_diagnosis(
            terms={"en": ("gonarthrosis",)},
            broader_codes=("M17",),
            finer_codes={CodeList.ICD_10_CM: FinerCodes(("M17.1",), ("M17.2",))},
            reviewed=Review("A. N. Other, physician", date(2026, 2, 1)),
        ),
        (an_intervention(module=Module.FITT_VIP, cautions="A label warns of something." * 2),),
    )
)


def places(value: Any, *path: Any) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        found
        for key, item in inside
        for found in [
            (*path, key),
            *(places(item, *path, key) if isinstance(item, dict | list) else []),
        ]
    ]


ANYTHING = [
    *(None, True, 5, 1066, "", "x", "x" * 81, "search", "for", "against", "unclear", "not_stated"),
    *("home", "2026-02-28", "M17", "FA01", "10.1/x", "https://x", [], {}, ["x"], {"x": 1}),
    *(["M17"], ["x" * 39, "y" * 40]),
]


@given(st.data())
def test_what_the_schema_refuses_the_domain_refuses(data: st.DataObject) -> None:
    """So a fault that is left to the domain to report is reported."""
    document = deepcopy(ENTRY)
    for _ in range(data.draw(st.integers(1, 3))):
        *path, key = data.draw(st.sampled_from(places(document)))
        place: Any = document
        for step in path:
            place = place[step]
        if data.draw(st.booleans()):
            # A copy, because a later step may change it.
            place[key] = deepcopy(data.draw(st.sampled_from(ANYTHING)))
        else:
            del place[key]

    if not VALIDATOR.is_valid(document):
        with pytest.raises(InvalidValueError):
            from_document(document)
