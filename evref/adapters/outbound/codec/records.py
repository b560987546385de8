"""Reads the parts of an entry from records, which `content` of the domain describes.

Reading is strict: a record has exactly its fields, with their types, and the constructors of the
domain check their values. Every reader raises `InvalidValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import Any, TypeVar

from evref.domain.catalogue.content import Record
from evref.domain.catalogue.diagnosis import Diagnosis, Module, Review
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.finer_codes import CodeList, FinerCodes
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.domain.errors import Fault, InvalidValueError, within

DIAGNOSIS = ("id", "name", "icd10", "icd11", "enabled_modules", "checked_on")
OPTIONAL_OF_DIAGNOSIS = ("terms", "broader_codes", "finer_codes", "reviewed")
INTERVENTION = ("id", "module", "phase", "title", "summary", "evidence", "references")
OPTIONAL_OF_INTERVENTION = ("cautions", "fitt_vp")
FITT_VP = ("frequency", "intensity", "time", "type", "volume", "progression")
EVIDENCE = ("certainty", "recommendation", "direction", "source_grade")
REFERENCE = ("title", "authors", "year", "source", "kind")
PLACES_OF_A_REFERENCE = ("doi", "pmid", "url")

_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")

_MOST_CODES = 100_000
"""Number of codes that are cached: more than ICD-10 or ICD-11 has."""

_MOST_PARTS = 20_000
"""Number of interventions or references that are cached: as many as 1,500 diagnoses have."""

_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def to_diagnosis(record: Record) -> Diagnosis:
    """Return the diagnosis in a record, which may have further fields."""
    try:
        return Diagnosis(
            id=_text(record, "id"),
            name=_text(record, "name"),
            icd10_codes=tuple(map(_icd10_code, texts(record, "icd10"))),
            icd11_codes=tuple(map(_icd11_code, texts(record, "icd11"))),
            enabled_modules=tuple(
                _member("enabled_modules", module, Module)
                for module in texts(record, "enabled_modules")
            ),
            checked_on=_date(record, "checked_on"),
            terms=_to_terms(record),
            broader_codes=tuple(
                texts(record, "broader_codes") if "broader_codes" in record else ()
            ),
            finer_codes=_to_finer_codes(record),
            reviewed=_part(_to_review, record["reviewed"], "reviewed")
            if record.get("reviewed") is not None
            else None,
        )
    except InvalidValueError as error:
        # The fields of codes have other names in the domain than in records.
        faults = [replace(each, field=each.field.removesuffix("_codes")) for each in error.faults]
        raise InvalidValueError(faults) from None


def _to_terms(record: Record) -> dict[str, tuple[str, ...]]:
    if "terms" not in record:
        return {}
    terms = inner(record, "terms")
    try:
        return {language: tuple(map(intern, texts(terms, language))) for language in sorted(terms)}
    except InvalidValueError as error:
        raise within(error, "terms") from None


def _to_finer_codes(record: Record) -> dict[CodeList, FinerCodes]:
    if "finer_codes" not in record:
        return {}
    found = inner(record, "finer_codes")
    return {
        _member("finer_codes", name, CodeList): _part(
            _to_prefixes, found[name], "finer_codes", name
        )
        for name in sorted(found)
    }


def _to_prefixes(record: object) -> FinerCodes:
    fields = checked(record, (), ("includes", "excludes"))
    return FinerCodes(**{name: tuple(texts(fields, name)) for name in fields})


def _to_review(record: object) -> Review:
    fields = checked(record, ("by", "on"))
    return Review(by=_text(fields, "by"), on=_date(fields, "on"))


# Cached because most parts of a new catalogue are in the one that it replaces, which stays in use
# until the new one is read.
_icd10_code = lru_cache(_MOST_CODES)(Icd10Code)
_icd11_code = lru_cache(_MOST_CODES)(Icd11Code)
_evidence = lru_cache(_MOST_PARTS)(Evidence)
_reference = lru_cache(_MOST_PARTS)(Reference)
_intervention = lru_cache(_MOST_PARTS)(Intervention)


def to_intervention(
    record: object, diagnosis_id: str, references: Iterable[Reference]
) -> Intervention:
    """Return the intervention in a record, with the references that it cites."""
    fields = checked(record, INTERVENTION, OPTIONAL_OF_INTERVENTION)
    dose = fields.get("fitt_vp")
    return _intervention(
        id=_text(fields, "id"),
        diagnosis_id=diagnosis_id,
        module=_choice(fields, "module", Module),
        phase=_choice(fields, "phase", Phase),
        title=_text(fields, "title"),
        summary=_text(fields, "summary"),
        fitt_vp=None if dose is None else _part(_to_fitt_vp, dose, "fitt_vp"),
        evidence=_part(_to_evidence, fields["evidence"], "evidence"),
        references=tuple(references),
        cautions=_text_or_none(fields, "cautions"),
    )


def _to_fitt_vp(record: object) -> FittVp:
    fields = checked(record, FITT_VP)
    return FittVp(**{name: _text_or_none(fields, name) for name in FITT_VP})


def _to_evidence(record: object) -> Evidence:
    fields = checked(record, EVIDENCE)
    return _evidence(
        certainty=_choice(fields, "certainty", Certainty),
        recommendation=_choice(fields, "recommendation", Recommendation),
        direction=_choice(fields, "direction", Direction),
        source_grade=_text_or_none(fields, "source_grade"),
    )


def to_reference(record: object) -> Reference:
    fields = checked(record, REFERENCE, PLACES_OF_A_REFERENCE)
    year = fields["year"]
    if type(year) is not int:
        raise InvalidValueError([Fault("year", "must be a whole number")])
    return _reference(
        title=_text(fields, "title"),
        authors=_text(fields, "authors"),
        year=year,
        source=_text(fields, "source"),
        kind=_choice(fields, "kind", ReferenceKind),
        doi=_text_or_none(fields, "doi"),
        pmid=_text_or_none(fields, "pmid"),
        given_url=_text_or_none(fields, "url"),
    )


def checked(record: object, required: Iterable[str], optional: Iterable[str] = ()) -> Record:
    """Check that a record has all required fields and no unknown ones, and return it."""
    if not isinstance(record, dict):
        raise InvalidValueError([Fault("record", f"must have the fields {', '.join(required)}")])
    missing = [Fault(str(name), "is missing") for name in required if name not in record]
    unknown = record.keys() - required - set(optional)
    if missing or unknown:
        more = [Fault(str(name), "is not a field") for name in sorted(unknown, key=str)]
        raise InvalidValueError([*missing, *more])
    return record


def texts(record: object, name: str) -> list[str]:
    """Return the strings in a list."""
    found = items(record, name)
    if not all(isinstance(item, str) for item in found):
        raise InvalidValueError([Fault(name, "must be a list of strings")])
    return found


def items(record: object, name: str) -> list[Any]:
    """Return the items of a list."""
    found = record.get(name) if isinstance(record, dict) else None
    if not isinstance(found, list):
        raise InvalidValueError([Fault(name, "must be a list")])
    return found


def inner(record: Record, name: str) -> Record:
    """Return a record in a record."""
    found = record.get(name)
    if not isinstance(found, dict):
        raise InvalidValueError([Fault(name, "must be an object")])
    return found


def _part(make: Callable[[object], _Value], record: object, *path: str) -> _Value:
    """Read the part of a record at this path, with the path in its faults."""
    try:
        return make(record)
    except InvalidValueError as error:
        raise within(error, *path) from None


def _text(record: Record, name: str) -> str:
    found = record.get(name)
    if not isinstance(found, str):
        raise InvalidValueError([Fault(name, "must be text")])
    return found


def _text_or_none(record: Record, name: str) -> str | None:
    return None if record.get(name) is None else _text(record, name)


def _choice(record: Record, name: str, choices: type[_Choice]) -> _Choice:
    found: _Choice = _member(name, _text(record, name), choices)
    return found


@lru_cache
def _member(name: str, text: str, choices: type[StrEnum]) -> Any:  # noqa: ANN401 - as the choices
    try:
        return choices(text)
    except ValueError:
        message = f"must be one of {', '.join(choices)}"
        raise InvalidValueError([Fault(name, message)]) from None


def _date(record: Record, name: str) -> date:
    text = _text(record, name)
    try:
        if _DATE.fullmatch(text) is not None:
            return date.fromisoformat(text)
    except ValueError:
        pass
    message = 'must be a date (year, month and day) in quotes, such as "2026-11-21"'
    raise InvalidValueError([Fault(name, message)])
