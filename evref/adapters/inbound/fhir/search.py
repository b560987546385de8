"""Search parameters (R4, search). An unknown or repeated parameter is an error; none is ignored."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.index import PLAN_DEFINITION, Index, Item
from evref.adapters.inbound.fhir.mappings import CODE_SYSTEMS
from evref.adapters.inbound.web.problems import (
    InvalidParametersError,
    NotAcceptableError,
    ParameterFault,
)
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.record_code import FORMS, Classification, RecordCode, read_part
from evref.domain.catalogue.search.interventions import MatchedIn
from evref.domain.redaction import without_keys
from evref.domain.rules import folded

DEFAULT_COUNT = 20
MOST_COUNT = 100
MOST_VALUES = 50
LONGEST_TEXT = 200

FORMATS = ("json", "application/fhir+json", "application/json", "text/json")
"""The names of JSON in `_format` (R4, http, mime-type)."""

_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
_COUNT = re.compile("[0-9]{1,100}")

# A comma separates values unless a backslash escapes it (R4, search, escaping).
_VALUE = re.compile(r"(?:\\.|[^\\,]|\\$)*", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,|$])")


class _InvalidError(Exception):
    """Indicates a value that is not allowed; the text says why."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a description of its values, and what reads one.

    `read` raises `_InvalidError` if the value is not allowed.
    """

    allowed: tuple[str, ...]
    read: Callable[[str], Any]


def _read_format(text: str) -> None:
    # A plus sign that is not percent-encoded arrives as a space.
    media_type = text.partition(";")[0].strip().replace(" ", "+").lower()
    if media_type not in FORMATS:
        raise NotAcceptableError(FORMATS[1:])


def _read_count(text: str) -> int:
    if _COUNT.fullmatch(text) is None:
        raise _InvalidError("is not a whole number from 0")
    return min(int(text), MOST_COUNT)


def _read_id(text: str) -> str:
    if _ID.fullmatch(text) is None:
        raise _InvalidError("is not an id of a resource")
    return text


def _read_ids(text: str) -> frozenset[str]:
    return frozenset(map(_read_id, _values(text)))


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
    values = []
    position = 0
    while position <= len(text):
        found = _VALUE.match(text, position)
        assert found is not None  # noqa: S101 - the pattern matches the empty text
        values.append(_ESCAPED.sub(r"\1", found[0]).strip())
        position = found.end() + 1
    if not may_be_empty and not all(values):
        raise _InvalidError("has an empty value")
    if len(values) > MOST_VALUES:
        raise _InvalidError(f"has {len(values)} values")
    return tuple(values)


_CODES = (
    f"1 to {MOST_VALUES} codes separated by commas, each alone or as system|code",
    f"systems: {', '.join(each.url for each in CODE_SYSTEMS)}",
    *(f"codes: {forms}" for forms in FORMS.values()),
)
_TEXTS = (f"1 to {MOST_VALUES} texts separated by commas, up to {LONGEST_TEXT} characters",)

FORMAT = {"_format": Parameter(FORMATS, _read_format)}
"""The parameter of a read."""

SEARCH: Mapping[str, Parameter] = {
    "_id": Parameter((f"1 to {MOST_VALUES} ids separated by commas",), _read_ids),
    "context": Parameter(_CODES, _read_codes),
    "title": Parameter(_TEXTS, _read_texts),
    "title:contains": Parameter(_TEXTS, _read_texts),
    "title:exact": Parameter(_TEXTS, _read_texts),
    "_count": Parameter((f"a number; at most {MOST_COUNT} resources are returned",), _read_count),
    "_after": Parameter(("an id, as in the links of a Bundle",), _read_id),
    "_before": Parameter(("an id, as in the links of a Bundle",), _read_id),
    **FORMAT,
}
"""The parameters of a search, combined with AND. The values of one are combined with OR."""

# How the text of a title and that of a parameter are compared, after each is normalised.
_COMPARISONS: dict[str, tuple[Callable[[str], str], Callable[[str, str], bool]]] = {
    "title:contains": (folded, str.__contains__),
    "title:exact": (str, str.__eq__),
}


def read(given: MultiDict[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the values of the given parameters.

    Raises:
        InvalidParametersError: If a parameter is unknown, repeated or empty, or has a value that
            is not allowed.
        NotAcceptableError: If `_format` asks for another format than JSON.

    """
    values: dict[str, Any] = {}
    faults = []
    for name, texts in given.lists():
        parameter = parameters.get(name)
        if parameter is None:
            message = "is not a parameter of this interaction"
            faults.append(ParameterFault(name, message, tuple(parameters)))
        elif len(texts) > 1:
            faults.append(ParameterFault(name, "is given more than once", ("at most one value",)))
        else:
            try:
                values[name] = parameter.read(texts[0])
            except _InvalidError as error:
                faults.append(ParameterFault(name, str(error), parameter.allowed))
    if "_after" in values and "_before" in values:
        message = "cannot be combined with _after"
        faults.append(ParameterFault("_before", message, ("one of them",)))
    if faults:
        raise InvalidParametersError(tuple(faults))
    return values


def matching(
    index: Index, resource_type: str, values: Mapping[str, Any], relations: Collection[str]
) -> list[Item]:
    """Return the items that match the values of a search, in the order of their ids.

    `relations` has the ids of the diagnoses that the codes of the context find.
    """
    items = list(index.of(resource_type).values())
    if "_id" in values:
        items = [item for item in items if item.id in values["_id"]]
    if "context" in values:
        items = [item for item in items if item.entry.diagnosis.id in relations]
    if "title" in values:
        ids = _by_words(index.catalogue, resource_type, values["title"])
        items = [item for item in items if (item.intervention_id or item.entry.diagnosis.id) in ids]
    for name, (normalised, compare) in _COMPARISONS.items():
        if name in values:
            wanted = [normalised(text) for text in values[name]]
            titles = ((item, normalised(item.title)) for item in items)
            items = [item for item, title in titles if any(compare(title, each) for each in wanted)]
    return items


def _by_words(catalogue: Catalogue, resource_type: str, texts: Iterable[str]) -> frozenset[str]:
    """Return the ids of the diagnoses or interventions that any of the texts finds."""
    if resource_type == PLAN_DEFINITION:
        return frozenset(hit.diagnosis_id for text in texts for hit in catalogue.named(text).hits)
    return frozenset(
        hit.intervention.id
        for text in texts
        for hit in catalogue.search.interventions.find(text)
        if hit.matched_in is MatchedIn.TITLE
    )
