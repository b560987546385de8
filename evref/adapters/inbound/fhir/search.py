"""Search parameters (R4, search). No parameter is ignored, unless the client asks for it."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.definitions import CODE_SYSTEM, STRUCTURE_DEFINITION
from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION
from evref.adapters.inbound.fhir.mappings import ELEMENTS
from evref.adapters.inbound.fhir.period import Period
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS, ICD_10, ICD_11, URN, by_url
from evref.adapters.inbound.web.problems import (
    InvalidParametersError,
    NotAcceptableError,
    ParameterFault,
)
from evref.domain.catalogue.question import LONGEST_TEXT, Found, Question
from evref.domain.catalogue.record_code import (
    FORMS,
    MOST_VALUES,
    Classification,
    RecordCode,
    read_part,
)
from evref.domain.catalogue.served import Served
from evref.domain.redaction import without_keys
from evref.domain.rules import counted, folded

DEFAULT_COUNT = 20
MOST_COUNT = 30
MOST_WITH_INCLUDED = 10

FORMATS = ("json", "application/fhir+json", "application/json", "text/json")
"""The values of `_format` that mean JSON (R4, http, mime-type)."""

# A comma separates values unless a backslash escapes it (R4, search, escaping).
_VALUE = re.compile(r",((?:\\.|[^\\,]|\\$)*)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,|$])")
_BEFORE_BAR = re.compile(r"((?:\\.|[^\\|])*)\|", re.DOTALL)


class _InvalidError(Exception):
    """Indicates a value that is not allowed; the text says why."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A search parameter: a description of its values, and the function that parses them.

    `read` gets the text of a single parameter. Any other can be repeated, which is combined with
    AND, and has several values separated by commas; then `read` gets these. It raises
    `_InvalidError` if they are not allowed. `longest` limits the characters of all of them.
    """

    allowed: tuple[str, ...]
    read: Callable[[Any], Any]
    is_single: bool = False
    longest: int | None = None


class Token(NamedTuple):
    """A value of a token parameter (R4, search, token); None stands for any."""

    system: str | None
    code: str | None


_ANY = {
    Token(name, None)
    for system in (ICD_10, ICD_11)
    for name in (*system.urls, f"{URN}{system.oid}")
}
"""Tokens for any code of a system: each resource has codes of these."""


class Summary(StrEnum):
    """The elements of each resource that a response contains (R4, search, summary)."""

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
_read_number = _matching("[0-9]{1,100}", "is not a whole number from 0")


def _read_count(text: str) -> int:
    return min(int(_read_number(text)), MOST_COUNT)


def _read_token(text: str) -> Token:
    """Return a token; an escaped bar belongs to the system or the code."""
    before = _BEFORE_BAR.match(text)
    if before is None:
        return Token(None, _unescaped(text))
    system, code = _unescaped(before[1]), _unescaped(text[before.end() :])
    if not (system or code):
        raise _InvalidError("has an empty value")
    return Token(system, code or None)


def _read_url(text: str) -> tuple[str, str | None]:
    token = _read_token(text)
    return (token.code or "", None) if token.system is None else (token.system, token.code)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _read_period(text: str) -> Period:
    try:
        return Period.parse(text)
    except (ValueError, OverflowError):
        raise _InvalidError("is not a date or a time") from None


def _each(read: Callable[[str], Any]) -> Callable[[Sequence[str]], tuple[Any, ...]]:
    """Return a function that reads each of several values, equal ones once."""

    def read_all(values: Sequence[str]) -> tuple[Any, ...]:
        if not all(values):
            raise _InvalidError("has an empty value")
        return tuple(dict.fromkeys(map(read, values)))

    return read_all


def _read_text(text: str) -> str:
    text = _unescaped(text)
    # A text that is empty without its accents would match the beginning of every title.
    if not folded(text):
        raise _InvalidError("contains a text with accents only")
    return text


class Codings(NamedTuple):
    """The codes of a value of `context`, and whether it asks for any code of a code system."""

    codes: tuple[RecordCode, ...]
    has_any: bool


def _read_codes(values: Sequence[str]) -> Codings:
    """Return the codes of a token parameter: `system|code`, or a code of either classification.

    Codings of unknown systems are ignored, because a Condition may have codings of several systems.
    """
    tokens = [_read_token(value) for value in values if value]
    codes = tuple(code for token in tokens if token not in _ANY for code in _read_code(token))
    has_any = not _ANY.isdisjoint(tokens)
    if not has_any and not any(code.read_as is not None for code in codes):
        raise _InvalidError("has no code that can be read")
    return Codings(codes, has_any)


def _read_code(token: Token) -> tuple[RecordCode, ...]:
    system, code = token
    if system is None:
        of_both = tuple(read for kind in Classification for read in read_part(kind, code or ""))
        return tuple(read for read in of_both if read.read_as is not None) or of_both[:1]
    known = by_url(system, code or "")
    given = without_keys(f"{system}|{code or ''}")
    if code is None or not system:
        kind = "of this system" if system else "without a system"
        error = f"no resource has a code {kind}"
        return (RecordCode(Classification.ICD_10, given, given, error=error),)
    if known is None:
        error = "is of a code system that the service does not read"
        return (RecordCode(Classification.ICD_10, given, None, error=error),)
    return read_part(known.classification, code, known.edition)


def found_by_codes(contexts: Sequence[Codings], served: Served) -> Found:
    """Return what the codes of a search find, in each value of `context`.

    Raises:
        InvalidParametersError: If no code of one can be read because no map is loaded.

    """
    every = []
    for codes, has_any in contexts:
        found = served.find(Question(codes=codes)) if codes else Found(())
        if served.snomed is None and not (found.codes or has_any):
            fault = ParameterFault("context", "has no code that can be read", _CODES)
            raise InvalidParametersError(fault)
        every.append(found)
    return Found.joined(every)


_SORTABLE = ("_id", "title", "_lastUpdated")


def _read_sort(text: str) -> tuple[tuple[str, bool], ...]:
    """Return what to sort by, and whether in descending order."""
    keys = tuple((name.removeprefix("-"), name.startswith("-")) for name in text.split(","))
    if len(keys) > len(_SORTABLE) or any(name not in _SORTABLE for name, _ in keys):
        raise _InvalidError("contains an element by which resources are not sorted")
    return keys


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in _VALUE.findall(f",{text}"))


_CODES = (
    f"1 to {MOST_VALUES} codes separated by commas, each as code or as system|code",
    f"systems: {', '.join(url for system in CODE_SYSTEMS for url in system.urls)}; or urn:oid:…",
    *(f"codes: {forms}" for forms in FORMS.values()),
)
INCLUDED = ("PlanDefinition:definition", "PlanDefinition:definition:ActivityDefinition")


def _control(*allowed: str) -> Parameter:
    """Return a parameter that is given at most once, with one of these values."""
    return Parameter(allowed, _exactly(*allowed), is_single=True)


FORMAT = {
    "_format": Parameter(FORMATS, _read_format, is_single=True),
    # Accepted without effect: programs read indented and compact JSON in the same way.
    "_pretty": _control("true", "false"),
}

# `_summary` and `_elements` have no effect either: R4 allows to ignore them.
METADATA = {
    **FORMAT,
    "mode": _control("full", "normative", "terminology"),
    "_summary": _control(*Summary),
    "_elements": Parameter(("names of elements",), lambda text: text, is_single=True),
}

_TEXT = Parameter(
    (
        (
            f"1 to {MOST_VALUES} texts separated by commas, "
            f"up to {LONGEST_TEXT} characters in all of them"
        ),
    ),
    _each(_read_text),
    longest=LONGEST_TEXT,
)
_TOKEN = Parameter(
    (f"1 to {MOST_VALUES} codes separated by commas, each as code or as system|code",),
    _each(_read_token),
)
_ELEMENTS = {
    resource_type: {
        "_elements": Parameter(
            (f"1 to {MOST_VALUES} names of elements separated by commas", *names),
            # Every answer has the type; fhirpy asks for it nevertheless.
            _each(_exactly("resourceType", *names)),
        )
    }
    for resource_type, names in ELEMENTS.items()
}
_PLACE = Parameter(("an id, as in the links of a Bundle",), _read_id, is_single=True)

_OF_DEFINITIONS = {
    "_id": Parameter((f"1 to {MOST_VALUES} ids separated by commas",), _each(_read_id)),
    "url": Parameter(
        (f"1 to {MOST_VALUES} canonical URLs separated by commas, each as url or as url|version",),
        _each(_read_url),
    ),
    "version": _TOKEN,
    "status": _TOKEN,
    "name": _TEXT,
}
_OF_CATALOGUE = {
    **_OF_DEFINITIONS,
    "identifier": _TOKEN,
    "context": Parameter(_CODES, _read_codes),
    "title": _TEXT,
    "title:contains": _TEXT,
    "title:exact": _TEXT,
    "topic": _TOKEN,
    "_lastUpdated": Parameter(
        ("dates or times, such as 2026-11 or ge2026-11-22T08:00:00Z",), _each(_read_period)
    ),
}
_INCLUDE = {"_include": Parameter(INCLUDED, _each(_exactly(*INCLUDED)))}
_SORT = {
    "_sort": Parameter(
        (f"{', '.join(_SORTABLE)}, separated by commas, each with - for descending order",),
        _read_sort,
        is_single=True,
    )
}
_OF_RESULTS = {
    "_count": Parameter(
        (f"a number; at most {MOST_COUNT} resources are returned",), _read_count, is_single=True
    ),
    "_summary": _control(*Summary),
    # Accepted without effect: the total is always counted. fhirpy sends the second name.
    "_total": _control("none", "estimate", "accurate"),
    "_totalMethod": _control("count"),
    "_after": _PLACE,
    "_before": _PLACE,
    **FORMAT,
}

READ: Mapping[str, Mapping[str, Parameter]] = {
    resource_type: {
        **FORMAT,
        "_summary": _control(*(summary for summary in Summary if summary is not Summary.COUNT)),
        **elements,
    }
    for resource_type, elements in _ELEMENTS.items()
}
"""The parameters of a read by resource type (R4, http, parameters)."""

_OWN = {
    PLAN_DEFINITION: {**_OF_CATALOGUE, **_INCLUDE, **_SORT},
    ACTIVITY_DEFINITION: {**_OF_CATALOGUE, **_SORT},
    CODE_SYSTEM: _OF_DEFINITIONS,
    STRUCTURE_DEFINITION: _OF_DEFINITIONS,
}
SEARCH: Mapping[str, Mapping[str, Parameter]] = {
    name: {**own, **_ELEMENTS[name], **_OF_RESULTS} for name, own in _OWN.items()
}
"""The parameters of a search by resource type, combined with AND.

The values of one are combined with OR.
"""

_EXCLUSIVE = (("_after", "_before"), ("_elements", "_summary"))


def parse(given: MultiDict[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the value of each given parameter, or a tuple of them if it can be repeated.

    Raises:
        InvalidParametersError: If a parameter is unknown or empty, has a value that is not
            allowed, or is repeated though there can be only one; or if there are too many values.
        NotAcceptableError: If `_format` asks for another format than JSON.

    """
    values: dict[str, Any] = {}
    faults = []
    several = {
        name: [_values(text) for text in texts]
        for name, texts in given.lists()
        if name in parameters and not parameters[name].is_single
    }
    total = sum(len(part) for parts in several.values() for part in parts)
    for name, texts in given.lists():
        parameter = parameters.get(name)
        if parameter is None:
            message = "is not a parameter of this interaction"
            if is_known(name, parameters):
                message = "has a modifier that the parameter does not have"
            faults.append(ParameterFault(name, message, tuple(parameters)))
            continue
        try:
            values[name] = _read(parameter, texts, several.get(name, []), total)
        except _InvalidError as error:
            faults.append(ParameterFault(name, str(error), parameter.allowed))
    codes = [code for codings in values.get("context", ()) for code in codings.codes]
    more = sum(code.count - 1 for code in codes)
    if total + more > MOST_VALUES >= total:
        message = f"makes {total + more} values, with each stem of a cluster"
        faults.append(ParameterFault("context", message, (f"at most {MOST_VALUES} in all",)))
    for name, other in _EXCLUSIVE:
        if name in values and other in values:
            message = f"cannot be combined with {name}"
            faults.append(ParameterFault(other, message, ("one of them",)))
    if faults:
        raise InvalidParametersError(*faults)
    return values


def is_known(name: str, parameters: Container[str]) -> bool:
    """Return whether this is a parameter, also with a modifier: it must not be ignored."""
    return name.partition(":")[0] in parameters


def _read(
    parameter: Parameter, texts: Sequence[str], parts: Sequence[tuple[str, ...]], total: int
) -> Any:
    if parameter.is_single:
        if len(texts) > 1:
            raise _InvalidError(f"is given {len(texts)} times, but is allowed only once")
        return parameter.read(texts[0])
    if total > MOST_VALUES:
        count = sum(map(len, parts))
        of_total = f" of {total}" if count < total else ""
        raise _InvalidError(f"has {counted(count, 'value')}{of_total}")
    length = sum(map(len, texts))
    if parameter.longest is not None and length > parameter.longest:
        raise _InvalidError(f"has {length} characters")
    return tuple(map(parameter.read, parts))
