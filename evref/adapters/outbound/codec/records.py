"""Reads the parts of an entry from records, which `content` of the domain describes.

Reading is strict: a record has exactly its fields, with their types, and the constructors of the
domain check their values. Every reader raises `InvalidValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import Any, TypeVar

from evref.domain.catalogue.content import Record
from evref.domain.catalogue.diagnosis import Diagnosis, Module, Review
from evref.domain.catalogue.effect import (
    Better,
    Effect,
    Interval,
    Measure,
    Number,
    Per1000,
)
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
OPTIONAL_OF_DIAGNOSIS = (
    *("terms", "broader_codes", "finer_codes", "reviewed", "scope", "mainstays"),
)
INTERVENTION = ("id", "module", "phase", "title", "summary", "evidence", "references")
OPTIONAL_OF_INTERVENTION = ("cautions", "fitt_vp", "effects")
EFFECT = (
    *("outcome", "comparison", "measure", "estimate", "interval", "unit", "better", "per_1000"),
    *("studies", "participants", "certainty", "reference"),
)
PER_1000 = ("comparison", "intervention")
FITT_VP = ("frequency", "intensity", "time", "type", "volume", "progression")
EVIDENCE = ("certainty", "recommendation", "direction", "source_grade")
REFERENCE = ("title", "authors", "year", "source", "kind")
PLACES_OF_A_REFERENCE = ("doi", "pmid", "url")

_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")

_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")

# In place of invalid parts, so that the rest of the record is checked too.
_NO_DOSE = FittVp(None, None, None, None, None, None)
_NO_EVIDENCE = Evidence(
    Certainty.NOT_GRADED, Recommendation.NOT_STATED, Direction.UNCLEAR, source_grade=None
)
_NO_EFFECT = Effect(
    outcome="---",
    comparison="---",
    measure=Measure.RISK_RATIO,
    estimate=Number("1"),
    interval=None,
    unit=None,
    better=Better.LOWER,
    per_1000=None,
    studies=None,
    participants=None,
    certainty=Certainty.NOT_GRADED,
    reference=0,
)


class Faults(list[Fault]):
    """The faults of the parts of a record."""

    def at(self, *path: str | int) -> _Collecting:
        """Collect the faults of the part at this path instead of raising them."""
        return _Collecting(self, path)


class _Collecting:
    # A class, because contextmanager takes several times as long, for 50,000 parts.
    def __init__(self, faults: Faults, path: tuple[str | int, ...]) -> None:
        self._faults, self._path = faults, path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, InvalidValueError):
            self._faults += within(error, *self._path).faults
            return True
        return False


def to_diagnosis(record: Record) -> Diagnosis:
    """Return the diagnosis in a record, which may have further fields."""
    try:
        return Diagnosis(
            id=_text(record, "id"),
            name=_text(record, "name"),
            icd10_codes=tuple(map(Icd10Code, texts(record, "icd10"))),
            icd11_codes=tuple(map(Icd11Code, texts(record, "icd11"))),
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
            scope=_text_or_none(record, "scope"),
            mainstays=tuple(texts(record, "mainstays") if "mainstays" in record else ()),
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


def to_intervention(
    record: object, diagnosis_id: str, references: Iterable[Reference], keys: Sequence[str]
) -> Intervention:
    """Return the intervention in a record, with the references that it cites by these keys."""
    faults = Faults()
    with faults.at():
        checked(record, INTERVENTION, OPTIONAL_OF_INTERVENTION)
    if not isinstance(record, dict):
        raise InvalidValueError(faults)
    cited = tuple(references)
    dose, evidence = None, _NO_EVIDENCE
    effects: list[Effect] = []
    if record.get("fitt_vp") is not None:
        dose = _NO_DOSE
        with faults.at("fitt_vp"):
            dose = _to_fitt_vp(record["fitt_vp"])
    with faults.at("evidence"):
        evidence = _to_evidence(record.get("evidence"))
    with faults.at():
        for place, effect in enumerate(items(record, "effects") if "effects" in record else ()):
            effects.append(_NO_EFFECT)
            with faults.at("effects", place):
                effects[place] = _to_effect(effect, keys)
    with faults.at():
        intervention = Intervention(
            id=_text(record, "id"),
            diagnosis_id=diagnosis_id,
            module=_choice(record, "module", Module),
            phase=_choice(record, "phase", Phase),
            title=_text(record, "title"),
            summary=_text(record, "summary"),
            fitt_vp=dose,
            evidence=evidence,
            references=cited,
            cautions=_text_or_none(record, "cautions"),
            # Without references, an effect cannot have one either.
            effects=tuple(effects) if cited else (),
        )
    if faults:
        raise InvalidValueError(faults)
    return intervention


def _to_effect(record: object, keys: Sequence[str]) -> Effect:
    faults = Faults()
    with faults.at():
        checked(record, EFFECT)
    if not isinstance(record, dict):
        raise InvalidValueError(faults)
    reference, per_1000 = 0, None
    with faults.at():
        key = _text(record, "reference")
        if key in keys:
            reference = keys.index(key)
        elif keys:
            message = f"must be one of the intervention's references, {', '.join(keys)}"
            raise InvalidValueError([Fault("reference", message)])
    if record.get("per_1000") is not None:
        with faults.at("per_1000"):
            per_1000 = _to_per_1000(record["per_1000"])
    with faults.at():
        effect = Effect(
            outcome=_text(record, "outcome"),
            comparison=_text(record, "comparison"),
            measure=_choice(record, "measure", Measure),
            estimate=_number(record.get("estimate"), "estimate"),
            interval=_interval(record.get("interval")),
            unit=_text_or_none(record, "unit"),
            better=_choice(record, "better", Better),
            per_1000=per_1000,
            studies=_count(record, "studies"),
            participants=_count(record, "participants"),
            certainty=_choice(record, "certainty", Certainty),
            reference=reference,
        )
    if faults:
        raise InvalidValueError(faults)
    return effect


_ENDS = 2


def _interval(value: object) -> Interval | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != _ENDS:
        message = "must be a list of two numbers, the lower end first, or null"
        raise InvalidValueError([Fault("interval", message)])
    return Interval(*(_number(end, "interval") for end in value))


def _to_per_1000(record: object) -> Per1000:
    found = checked(record, PER_1000)
    return Per1000(**{name: _number(found[name], name) for name in PER_1000})


def _count(record: Record, name: str) -> int | None:
    count = record.get(name)
    if count is not None and type(count) is not int:
        raise InvalidValueError([Fault(name, "must be a whole number or null")])
    return count


def _number(value: object, name: str) -> Number:
    """Return a number: text in a stored document, and a number in a file."""
    if isinstance(value, str | Decimal) or type(value) is int:
        with suppress(InvalidValueError):
            return Number(str(value))
    raise InvalidValueError([Fault(name, f"must be {Number.FORM}")])


def _to_fitt_vp(record: object) -> FittVp:
    fields = checked(record, FITT_VP)
    return FittVp(**{name: _text_or_none(fields, name) for name in FITT_VP})


def _to_evidence(record: object) -> Evidence:
    fields = checked(record, EVIDENCE)
    return Evidence(
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
    return Reference(
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


def _part(make: Callable[[object], _Value], record: object, *path: str | int) -> _Value:
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
