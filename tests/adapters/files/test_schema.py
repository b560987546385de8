"""Tests that the JSON Schema of catalogue files and the reader reject the same files."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date
from typing import Any

import jsonschema_rs
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evref.adapters.outbound.codec.document import from_document
from evref.adapters.outbound.codec.records import UnreadableError
from evref.adapters.outbound.files.nodes import parsed
from evref.adapters.outbound.files.writing import text_of_entry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module, Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.testing.builders import a_diagnosis, an_effect, an_intervention
from tests.docs.catalogue_format import SCHEMA
from tests.domain.strategies import catalogues

VALIDATOR = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_schema_is_valid_in_draft_2020_12() -> None:
    """Editors recognise the draft by this name."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema)


@settings(max_examples=30)
@given(catalogues())
def test_the_schema_accepts_every_catalogue_of_the_domain(catalogue: Catalogue) -> None:
    """Editors must not report errors in an exported file."""
    for entry in catalogue.entries:
        assert list(VALIDATOR.iter_errors(yaml.safe_load(text_of_entry(entry)))) == []


ENTRY = yaml.safe_load(
    text_of_entry(
        Entry(
            a_diagnosis(
                terms={"en": ("gonarthrosis",)},
                broader_codes=("M17",),
                finer_codes={CodeList.ICD_10_CM: FinerCodes(("M17.1",), ("M17.2",))},
                reviewed=Review("A. N. Other, physician", date(2026, 2, 1)),
                scope="Conservative care of the knee.",
            ),
            (
                an_intervention(
                    module=Module.FITT_VIP,
                    cautions="A label warns of something." * 2,
                    effects=[an_effect()],
                ),
            ),
        )
    )
)


def places(value: Any, *path: Any) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        place
        for key, item in inside
        for place in [
            (*path, key),
            *(places(item, *path, key) if isinstance(item, dict | list) else []),
        ]
    ]


ANYTHING = [
    *(None, True, 5, 0, 1066, "", "x", "x" * 81, "search", "for", "against", "unclear"),
    *("home", "not_stated", "2026-02-28", "M17", "FA01", "10.1/x", "https://x", [], {}, ["x"]),
    *({"x": 1}, ["M17"], ["x" * 39, "y" * 40], ["x", "x"], "risk_ratio", "mean_difference"),
]

BEYOND_A_SCHEMA = (
    *(
        "must be among icd10",
        "must not have",
        "is not defined",
        "is not cited",
        "must be one of the",
    ),
    *("must be within the interval", "must be on the same side", "must have the lower end first"),
    *("must be visible interventions", "must not begin or end", "must not repeat Kolasinski"),
)
"""Parts of the messages about errors that concern several places of a file."""


def is_beyond_a_schema(message: str) -> bool:
    return any(part in message for part in BEYOND_A_SCHEMA)


@settings(max_examples=400)
@given(st.data())
def test_the_schema_and_the_reader_reject_the_same_files(data: st.DataObject) -> None:
    """Only the reader finds errors that concern several places of a file."""
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
    messages: list[str] = []
    try:
        from_document(parsed(yaml.safe_dump(document)).data)
    except UnreadableError as error:
        messages = [message for _, message in error.errors]

    if VALIDATOR.is_valid(document):
        assert [message for message in messages if not is_beyond_a_schema(message)] == []
    else:
        assert messages
