"""The catalogue's entries as JSON documents."""

import json
from typing import Any

import pytest
from hypothesis import given

from evref.adapters.outbound.sql import documents
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.diagnosis import Module
from evref.testing.builders import an_entry, an_intervention
from tests.domain.strategies import entries


@given(entry=entries())
def test_every_entry_reads_back_the_same(entry: Entry) -> None:
    """Whatever the domain allows in it."""
    assert documents.read(documents.write(entry)) == entry


def test_a_document_is_compact_json_that_a_person_can_read() -> None:
    """No white space between, and no escapes for other scripts."""
    document = documents.write(an_entry(name="Ménière disease", interventions=[]))

    assert document == (
        '{"diagnosis":{"id":"knee-osteoarthritis","name":"Ménière disease","icd10_codes":["M17"],'
        '"icd11_codes":["FA01"],"enabled_modules":["fitt_vip","pharmaconeutral","home","concept",'
        '"prevention","diagnostic"]},"interventions":[]}'
    )


def every_place(value: Any, *path: Any) -> list[tuple[Any, ...]]:
    """The paths to all that is in a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        found
        for key, item in inside
        for found in [
            (*path, key),
            *(every_place(item, *path, key) if isinstance(item, dict | list) else []),
        ]
    ]


DOCUMENT = documents.write(
    an_entry(interventions=[an_intervention(module=Module.FITT_VIP)], modules=[Module.FITT_VIP])
)
FIELDS = [path for path in every_place(json.loads(DOCUMENT)) if isinstance(path[-1], str)]


def spoilt(path: tuple[Any, ...], *, remove: bool) -> str:
    document = json.loads(DOCUMENT)
    place = document
    for key in path[:-1]:
        place = place[key]
    if remove:
        del place[path[-1]]
    else:
        place[path[-1]] = {"unexpected": 1}
    return json.dumps(document)


@pytest.mark.parametrize("remove", [True, False], ids=["missing", "of another type"])
@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
def test_a_field_that_is_missing_or_of_another_type_is_refused(
    path: tuple[Any, ...], remove: bool
) -> None:
    """Wherever it is in the document."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(spoilt(path, remove=remove))


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", DOCUMENT[:-1], DOCUMENT.replace('"id"', '"ID"')]
)
def test_what_is_no_such_document_is_refused(text: str) -> None:
    """No JSON, another kind of value, or other fields."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(text)
