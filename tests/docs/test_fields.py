"""Where each field of a record is shown: the table of *Add a field* says so, and why not elsewhere.

For each field there are two entries that differ in nothing else. A way in shows the field if it
answers differently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Any

import pytest

from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.diagnosis import Diagnosis, Module, Review
from evref.domain.catalogue.effect import Effect, Interval, Measure, Per1000
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Evidence, Recommendation, Reference
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.declaration import Field, declared
from evref.domain.principal import Readers
from evref.domain.rules import Length
from evref.testing.builders import (
    CAUTION,
    a_catalogue,
    a_diagnosis,
    a_reference,
    an_effect,
    an_intervention,
)
from evref_mcp import answers, wording
from evref_mcp.records import DiagnosesBody, InterventionsBody
from tests.docs.pages import DOCS
from tests.http.service import Service
from tests.infobutton.asking import AS_JSON, KNEE, target

PAGE = DOCS / "how-to" / "add-a-field.md"
ID = "knee-osteoarthritis"
RECORDS = (
    *(Diagnosis, Review, FinerCodes, Intervention, FittVp, Evidence, Effect, Interval, Per1000),
    Reference,
)
NUMBER = Decimal("0.71")


def base() -> Entry:
    effect = an_effect(
        "0.70",
        ("0.55", "0.89"),
        Measure.RISK_RATIO,
        per_1000=Per1000(Decimal(162), Decimal(114)),
    )
    exercise = an_intervention(
        module=Module.FITT_VIP,
        cautions=CAUTION,
        effects=[effect],
        references=[
            a_reference(doi="10.1002/art.41142", pmid="31908163", url="https://example.org/a"),
            a_reference(title="Another guideline", authors="Other AB", pmid="4242", doi=None),
        ],
    )
    dose = FittVp("Twice a week", "Hard", "An hour", "Strength", "Much", "Slowly")
    exercise = replace(exercise, fitt_vp=dose)
    other = an_intervention(
        f"{ID}-walking", module=Module.FITT_VIP, references=exercise.references[:1]
    )
    return Entry(
        a_diagnosis(
            ID,
            terms={"de": ("Gonarthrose",)},
            icd10=("M17", "M23"),
            icd11=("FA01", "FA00"),
            broader_codes=("M17",),
            finer_codes={CodeList.ICD_10_CM: FinerCodes(("M17.1",), ("M17.2",))},
            reviewed=Review("A. N. Other, physician", date(2026, 2, 1)),
            scope="Conservative care of the knee.",
            not_covered="the operation itself",
            mainstays=(other.id,),
        ),
        (exercise, other, an_intervention(f"{ID}-home", references=exercise.references[:1])),
    )


OTHERS: dict[tuple[type, str], dict[str, Any]] = {
    (Diagnosis, "icd10_codes"): {"icd10_codes": ("M17", "M24")},
    (Diagnosis, "icd11_codes"): {"icd11_codes": ("FA01", "FA02")},
    (Diagnosis, "terms"): {"terms": {"de": ("Kniearthrose",)}},
    (Diagnosis, "broader_codes"): {"broader_codes": ()},
    (Diagnosis, "mainstays"): {"mainstays": ()},
    (Diagnosis, "enabled_modules"): {"enabled_modules": (Module.FITT_VIP,)},
    (FinerCodes, "includes"): {"includes": ("M17.3",)},
    (FinerCodes, "excludes"): {"excludes": ("M17.4",)},
    (Intervention, "module"): {"module": Module.CONCEPT, "fitt_vp": None},
    (Intervention, "id"): {"id": f"{ID}-other"},
    (Evidence, "direction"): {"direction": Direction.UNCLEAR},
    (Evidence, "recommendation"): {"recommendation": Recommendation.CONDITIONAL_FOR},
    (Effect, "measure"): {"measure": Measure.ODDS_RATIO},
    (Effect, "unit"): {"unit": "points of 10"},
    (Effect, "reference"): {"reference": 1},
    (Interval, "low"): {"low": Decimal("0.41")},
    (Interval, "high"): {"high": Decimal("0.99")},
    (Per1000, "comparison"): {"comparison": Decimal(181)},
    (Per1000, "intervention"): {"intervention": Decimal(101)},
    (Reference, "doi"): {"doi": "10.1002/art.5"},
    (Reference, "pmid"): {"pmid": "5"},
    (Reference, "given_url"): {"given_url": "https://example.org/b"},
}
"""What replaces a field whose kind does not say what else it may be."""

BEFORE: dict[tuple[type, str], dict[str, Any]] = {
    (Evidence, "direction"): {"recommendation": Recommendation.NOT_STATED},
    (Effect, "unit"): {"measure": Measure.MEAN_DIFFERENCE, "unit": "points", "per_1000": None},
}
"""What the record is before, where a field is free only if others have certain values."""


def other_values(part: Any, field: Field) -> dict[str, Any]:
    """Return values of a record with which only this field differs."""
    record, value = type(part), getattr(part, field.attribute)
    if (record, field.attribute) in OTHERS:
        return OTHERS[record, field.attribute]
    for marker in field.kind.markers:
        if isinstance(marker, Length):
            words = ("other words " * 60)[: max(marker.shortest, min(marker.longest, 60))]
            return {field.attribute: words.strip()}
    other: Any
    match value:
        case StrEnum():
            other = next(member for member in type(value) if member is not value)
        case bool():
            other = not value
        case int():
            other = value + 1
        case date():
            other = value + timedelta(days=1)
        case Decimal():
            other = NUMBER
        case _:
            pytest.fail(f"OTHERS must say what else {record.__name__}.{field.attribute} may be")
    return {field.attribute: other}


def replaced(node: Any, record: type[Any], values: Callable[[Any], dict[str, Any]]) -> Any:
    """Return an entry, or a part of one, with other values in the first such record."""
    if isinstance(node, record):
        other = values(node)
        return node._replace(**other) if record is Interval else replace(node, **other)
    if isinstance(node, dict):
        return {name: replaced(part, record, values) for name, part in node.items()}
    if isinstance(node, tuple) and not isinstance(node, Interval):
        return (*(replaced(part, record, values) for part in node[:1]), *node[1:])
    if is_dataclass(node) and not isinstance(node, type):
        parts = {field.name: getattr(node, field.name) for field in fields(node)}
        return replace(node, **replaced(parts, record, values))
    return node


def get(service: Service, token: str, path: str) -> str:
    """Return what a path returns, without checking it against its schema."""
    headers = {"Authorization": f"Bearer {token}", "Accept-Language": "de"}
    with service.app.test_client() as client:
        return client.get(path, headers=headers).text


def mcp(service: Service, token: str) -> str:
    """Return the texts and the structure that an assistant reads."""
    diagnoses = DiagnosesBody.model_validate_json(get(service, token, "/api/v1/diagnoses"))
    path = f"/api/v1/diagnoses/{ID}/interventions"
    listed = InterventionsBody.model_validate_json(get(service, token, path))
    return json.dumps(
        [
            wording.diagnoses(diagnoses, only_names=False),
            answers.diagnoses(diagnoses, only_names=False),
            wording.interventions(listed, {}),
            answers.interventions(listed),
        ]
    )


def at(path: str) -> Callable[[Service, str], str]:
    return lambda service, token: get(service, token, path)


WAYS: dict[str, Callable[[Service, str], str]] = {
    "REST": at("/api/v1/diagnoses?icd10=M17&include=interventions"),
    "page": at(f"/catalogue/{ID}"),
    "Infobutton": at(target(KNEE | AS_JSON)),
    "FHIR": at(f"/fhir/PlanDefinition?_id={ID}&_include=PlanDefinition:definition"),
    "MCP": mcp,
    "RIS": at(f"/catalogue/{ID}.ris"),
}
# Versions, which every change changes.
_VERSION = re.compile(r"\b[0-9a-f]{16,64}\b")


@cache
def shown(entry: Entry) -> dict[str, str]:
    service = Service(Settings(storage=StorageKind.MEMORY, catalogue_pages=Readers.PUBLIC))
    service.publish(a_catalogue(entry))
    token = service.token()
    texts = {way: _VERSION.sub("", render(service, token)) for way, render in WAYS.items()}
    service.close()
    return texts


def rows() -> dict[str, list[str]]:
    page = PAGE.read_text(encoding="utf-8")
    table = re.finditer(r"^\| `(\w+\.\w+)` \|(.*)\|$", page, re.MULTILINE)
    return {row[1]: [cell.strip() for cell in row[2].split("|")] for row in table}


def has_rows_of_its_own(field: Field) -> bool:
    """Return whether a field is a record, whose fields are in the table."""
    kinds = field.kind, *field.kind.items
    return any(kind.type in RECORDS for kind in kinds)


# Addresses contain the id of a diagnosis, so it is shown everywhere.
FIELDS = [
    (record, field)
    for record in RECORDS
    for field in declared(record)
    if not has_rows_of_its_own(field)
    and (record, field.attribute) not in {(Diagnosis, "id"), (Intervention, "diagnosis_id")}
]


def test_the_table_has_each_field_of_each_record() -> None:
    names = [f"{record.__name__}.{field.attribute}" for record, field in FIELDS]

    assert list(rows()) == names, "each field needs a row in docs/how-to/add-a-field.md"


@pytest.mark.parametrize(
    ("record", "field"), FIELDS, ids=[f"{record.__name__}.{f.attribute}" for record, f in FIELDS]
)
def test_a_field_is_shown_where_the_table_says(record: type, field: Field) -> None:
    """Where it is not shown, the row gives the reason. It is part of the version in any case."""
    before = base()
    if (record, field.attribute) in BEFORE:
        before = replaced(before, record, lambda _: BEFORE[record, field.attribute])
    after = replaced(before, record, lambda part: other_values(part, field))
    assert before.version != after.version
    earlier, later = shown(before), shown(after)
    measured = ["yes" if earlier[way] != later[way] else "no" for way in WAYS]

    *said, reason = rows()[f"{record.__name__}.{field.attribute}"]

    assert measured == said
    assert bool(reason) is ("no" in said), "a field that is not shown needs a reason"


@pytest.mark.parametrize(
    ("recommendation", "group", "in_words"),
    [
        (Recommendation.CONDITIONAL_AGAINST, "advised_against", "advised against"),
        (Recommendation.NOT_STATED, "no_benefit_found", "no benefit found, or harm"),
    ],
)
def test_every_way_in_tells_advice_against_from_no_benefit(
    recommendation: Recommendation, group: str, in_words: str
) -> None:
    """It is computed from other fields, so it has no row in the table."""
    graded = {"direction": Direction.AGAINST, "recommendation": recommendation}
    texts = shown(replaced(base(), Evidence, lambda _: graded))

    for way in ("REST", "FHIR", "MCP"):
        assert group in texts[way], way
    for way in ("page", "Infobutton", "MCP"):
        assert in_words in texts[way].lower(), way
