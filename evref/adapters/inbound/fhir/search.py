"""Search parameters (R4, search). None is ignored: an unknown one is an error."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.definitions import CODE_SYSTEM, STRUCTURE_DEFINITION
from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION
from evref.adapters.inbound.fhir.mappings import CODE_SYSTEMS
from evref.adapters.inbound.web.problems import (
    InvalidParametersError,
    NotAcceptableError,
    ParameterFault,
)
from evref.domain.catalogue.record_code import FORMS, Classification, RecordCode, read_part
from evref.domain.redaction import without_keys
from evref.domain.rules import folded

DEFAULT_COUNT = 20
MOST_COUNT = 100
MOST_VALUES = 50
LONGEST_TEXT = 200

FORMATS = ("json", "application/fhir+json", "application/json", "text/json")
"""The names of JSON in `_format` (R4, http, mime-type)."""

_DATE = re.compile(r"(eq|ne|gt|lt|ge|le|sa|eb)?(([0-9]{4})(-[0-9]{2})?(-[0-9]{2})?(T[^ ]{5,40})?)")

# A comma separates values unless a backslash escapes it (R4, search, escaping).
_VALUE = re.compile(r",((?:\\.|[^\\,]|\\$)*)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,|$])")


class _InvalidError(Exception):
    """Indicates a value that is not allowed; the text says why."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a description of its values, and what reads one.

    `read` raises `_InvalidError` if the value is not allowed. Repeated values are combined with
    AND, unless there can be only one.
    """

    allowed: tuple[str, ...]
    read: Callable[[str], Any]
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A value of a token parameter (R4, search, token); None stands for any."""

    system: str | None
    code: str | None

    def fits(self, system: str, code: str) -> bool:
        return self.system in {None, system} and self.code in {None, code}


@dataclass(frozen=True, slots=True)
class Period:
    """A value of a date parameter (R4, search, date): from `start` until before `end`."""

    prefix: str
    start: datetime
    end: datetime

    def admits(self, time: datetime) -> bool:
        second = time.replace(microsecond=0)
        is_within = self.start <= second < self.end
        return {
            "eq": is_within,
            "ne": not is_within,
            "gt": second >= self.end,
            "sa": second >= self.end,
            "ge": second >= self.start,
            "lt": second < self.start,
            "eb": second < self.start,
            "le": second < self.end,
        }[self.prefix]


class Summary(StrEnum):
    """What a response has of each resource (R4, search, summary)."""

    TRUE = "true"
    TEXT = "text"
    DATA = "data"
    COUNT = "count"
    FALSE = "false"


def _read_format(text: str) -> None:
    # A plus sign that is not percent-encoded arrives as a space.
    media_type = text.partition(";")[0].strip().replace(" ", "+").lower()
    if media_type not in FORMATS:
        raise NotAcceptableError(FORMATS[1:])


def _matching(pattern: str, fault: str) -> Callable[[str], str]:
    """Return a function that reads a text of this pattern."""

    def read(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise _InvalidError(fault)
        return text

    return read


def _exactly(*allowed: str) -> Callable[[str], str]:
    """Return a function that reads one of these values."""
    return _matching("|".join(map(re.escape, allowed)), "is not one of the allowed values")


_read_id = _matching("[A-Za-z0-9.-]{1,64}", "is not an id of a resource")
_read_element = _matching("[A-Za-z]{1,64}", "has what is not the name of an element")
_read_number = _matching("[0-9]{1,100}", "is not a whole number from 0")


def _read_count(text: str) -> int:
    return min(int(_read_number(text)), MOST_COUNT)


def _read_token(text: str) -> Token:
    system, has_system, code = text.rpartition("|")
    return Token(system if has_system else None, code or None)


def _read_period(text: str) -> Period:
    # A plus sign that is not percent-encoded arrives as a space.
    found = _DATE.fullmatch(text.replace(" ", "+"))
    if found is None:
        raise _InvalidError("is not a date or a time")
    prefix, whole, year, month, day, time = found.groups()
    try:
        start = datetime.fromisoformat(whole if time else f"{year}{month or '-01'}{day or '-01'}")
        start = start if start.tzinfo else start.replace(tzinfo=UTC)
        if time:
            end = start + timedelta(seconds=1 if time[6:7] == ":" else 60)
        elif day:
            end = start + timedelta(days=1)
        elif month:
            end = (start + timedelta(days=31)).replace(day=1)
        else:
            end = start.replace(year=start.year + 1)
    except (ValueError, OverflowError):
        raise _InvalidError("is not a date or a time") from None
    return Period(prefix or "eq", start, end)


def _each(read: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """Return a function that reads each of several values."""
    return lambda text: tuple(map(read, _values(text)))


def _read_texts(text: str) -> tuple[str, ...]:
    if len(text) > LONGEST_TEXT:
        raise _InvalidError(f"has {len(text)} characters")
    texts = _values(text)
    # Every title begins with what is empty without case and accents.
    if not all(map(folded, texts)):
        raise _InvalidError("has a text of accents alone")
    return texts


def _read_codes(text: str) -> tuple[RecordCode, ...]:
    """Return the codes of a token parameter: `system|code`, or a code of either classification.

    As in a Condition with codings of several systems, those that are not known do not count.
    """
    values = _values(text, may_be_empty=True)
    codes = tuple(code for value in values if value for code in _read_code(value))
    if not any(code.read_as is not None for code in codes):
        raise _InvalidError("has no code that can be read")
    return codes


def _read_code(value: str) -> tuple[RecordCode, ...]:
    system, has_system, text = value.rpartition("|")
    if not has_system:
        of_both = tuple(code for each in Classification for code in read_part(each, text))
        return tuple(code for code in of_both if code.read_as is not None) or of_both[:1]
    known = next((each for each in CODE_SYSTEMS if each.url == system), None)
    if known is None:
        error = "is of a code system that the service does not read"
        return (RecordCode(Classification.ICD_10, without_keys(value), None, error=error),)
    return read_part(known.classification, text, known.edition)


def _values(text: str, *, may_be_empty: bool = False) -> tuple[str, ...]:
    values = tuple(_ESCAPED.sub(r"\1", value).strip() for value in _VALUE.findall(f",{text}"))
    if not may_be_empty and not all(values):
        raise _InvalidError("has an empty value")
    if len(values) > MOST_VALUES:
        raise _InvalidError(f"has {len(values)} values")
    return values


_CODES = (
    f"1 to {MOST_VALUES} codes separated by commas, each alone or as system|code",
    f"systems: {', '.join(each.url for each in CODE_SYSTEMS)}",
    *(f"codes: {forms}" for forms in FORMS.values()),
)
_TEXTS = (f"1 to {MOST_VALUES} texts separated by commas, up to {LONGEST_TEXT} characters",)

_TOKENS = (f"1 to {MOST_VALUES} codes separated by commas, each alone or as system|code",)
INCLUDED = ("PlanDefinition:definition", "PlanDefinition:definition:ActivityDefinition")

FORMAT = {"_format": Parameter(FORMATS, _read_format, is_single=True)}
"""The parameter of a read."""

_OF_DEFINITIONS: Mapping[str, Parameter] = {
    "_id": Parameter((f"1 to {MOST_VALUES} ids separated by commas",), _each(_read_id)),
    "url": Parameter((f"1 to {MOST_VALUES} canonical URLs separated by commas",), _values),
}
_OF_CATALOGUE: Mapping[str, Parameter] = {
    **_OF_DEFINITIONS,
    "identifier": Parameter(_TOKENS, _each(_read_token)),
    "context": Parameter(_CODES, _read_codes),
    "title": Parameter(_TEXTS, _read_texts),
    "title:contains": Parameter(_TEXTS, _read_texts),
    "title:exact": Parameter(_TEXTS, _read_texts),
    "topic": Parameter(_TOKENS, _each(_read_token)),
    "_lastUpdated": Parameter(
        ("dates or times, such as 2026-11 or ge2026-11-22T08:00:00Z",), _each(_read_period)
    ),
}
_INCLUDE: Mapping[str, Parameter] = {"_include": Parameter(INCLUDED, _exactly(*INCLUDED))}
_OF_RESULTS: Mapping[str, Parameter] = {
    "_count": Parameter(
        (f"a number; at most {MOST_COUNT} resources are returned",), _read_count, is_single=True
    ),
    "_summary": Parameter(tuple(Summary), _exactly(*Summary), is_single=True),
    "_elements": Parameter(
        (f"1 to {MOST_VALUES} names of elements separated by commas",),
        _each(_read_element),
        is_single=True,
    ),
    # What fhirpy sends; the total is always counted.
    "_totalMethod": Parameter(("count",), _exactly("count"), is_single=True),
    "_after": Parameter(("an id, as in the links of a Bundle",), _read_id, is_single=True),
    "_before": Parameter(("an id, as in the links of a Bundle",), _read_id, is_single=True),
    **FORMAT,
}

SEARCH: Mapping[str, Mapping[str, Parameter]] = {
    PLAN_DEFINITION: {**_OF_CATALOGUE, **_INCLUDE, **_OF_RESULTS},
    ACTIVITY_DEFINITION: {**_OF_CATALOGUE, **_OF_RESULTS},
    CODE_SYSTEM: {**_OF_DEFINITIONS, **_OF_RESULTS},
    STRUCTURE_DEFINITION: {**_OF_DEFINITIONS, **_OF_RESULTS},
}
"""The parameters of a search by resource type, combined with AND.

The values of one are combined with OR.
"""

_EXCLUSIVE = (("_after", "_before"), ("_elements", "_summary"))


def read(given: MultiDict[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the value of each given parameter, or a tuple of them if it can be repeated.

    Raises:
        InvalidParametersError: If a parameter is unknown or empty, has a value that is not
            allowed, or is repeated though there can be only one.
        NotAcceptableError: If `_format` asks for another format than JSON.

    """
    values: dict[str, Any] = {}
    faults = []
    for name, texts in given.lists():
        parameter = parameters.get(name)
        if parameter is None:
            message = "is not a parameter of this interaction"
            faults.append(ParameterFault(name, message, tuple(parameters)))
        elif len(texts) > (1 if parameter.is_single else MOST_VALUES):
            allowed = ("at most one value",) if parameter.is_single else parameter.allowed
            faults.append(ParameterFault(name, f"is given {len(texts)} times", allowed))
        else:
            try:
                found = tuple(map(parameter.read, texts))
                values[name] = found[0] if parameter.is_single else found
            except _InvalidError as error:
                faults.append(ParameterFault(name, str(error), parameter.allowed))
    for one, other in _EXCLUSIVE:
        if one in values and other in values:
            message = f"cannot be combined with {one}"
            faults.append(ParameterFault(other, message, ("one of them",)))
    if faults:
        raise InvalidParametersError(*faults)
    return values
