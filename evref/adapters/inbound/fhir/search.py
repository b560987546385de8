"""Search parameters (R4, search). No parameter is ignored, unless the client asks for it."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.filtering import Selection
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    CODE_SYSTEM,
    PLAN_DEFINITION,
    STRUCTURE_DEFINITION,
)
from evref.adapters.inbound.fhir.mappings import ELEMENTS
from evref.adapters.inbound.fhir.values import (
    FORMATS,
    SORTABLE,
    Codings,
    InvalidError,
    exactly,
    read_codes,
    read_format,
    read_id,
    read_number,
    read_period,
    read_sort,
    read_text,
    read_token,
    read_url,
    set_of,
    values_of,
)
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.record_code import FORMS, MOST_VALUES
from evref.domain.catalogue.search.found import LONGEST_TEXT, Found
from evref.domain.catalogue.served import Question, Served

Select: TypeAlias = Callable[[Selection, Any, Any], list[Any]]
"""Selects items by a value of a parameter."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A search parameter: its values, and the functions that read them and select by them.

    `read` gets the text of a single parameter. Any other can be repeated, which is combined with
    AND, and has several values separated by commas, which are combined with OR; then `read` gets
    these. It raises `InvalidError` if they are not allowed. `longest` limits the characters of all
    of them. The CapabilityStatement shows its `type`, if it has one, and what is allowed.
    """

    allowed: tuple[str, ...]
    read: Callable[[Any], Any]
    select: Select | None = None
    is_single: bool = False
    longest: int | None = None
    type: str = ""

    def value(self, texts: Sequence[str]) -> Any:
        if self.is_single:
            if len(texts) > 1:
                raise InvalidError(f"is given {len(texts)} times, but is allowed only once")
            return self.read(texts[0])
        length = sum(map(len, texts))
        if self.longest is not None and length > self.longest:
            raise InvalidError(f"has {length} characters")
        return tuple(self.read(values_of(text)) for text in texts)


def _control(*allowed: str) -> Parameter:
    return Parameter(allowed, exactly(*allowed), is_single=True)


DEFAULT_COUNT = 20
MOST_COUNT = 30

_FORMAT = {
    "_format": Parameter(FORMATS, read_format, is_single=True),
    # Accepted without effect: programs read indented and compact JSON in the same way.
    "_pretty": _control("true", "false"),
}
_SUMMARIES = ("true", "text", "data", "count", "false")

# `_summary` and `_elements` have no effect either: R4 allows to ignore them.
METADATA = {
    **_FORMAT,
    "mode": _control("full", "normative", "terminology"),
    "_summary": _control(*_SUMMARIES),
    "_elements": Parameter(("names of elements",), str, is_single=True),
}

_CODES = (
    f"1 to {MOST_VALUES} codes separated by commas, each as code or as system|code",
    f"systems: {', '.join(url for system in CODE_SYSTEMS for url in system.urls)}; or urn:oid:…",
    *(f"codes: {forms}" for forms in FORMS.values()),
)


def _token(select: Select) -> Parameter:
    return Parameter(_CODES[:1], set_of(read_token), select, type="token")


def _string(select: Select) -> Parameter:
    allowed = f"1 to {MOST_VALUES} texts separated by commas, up to {LONGEST_TEXT} characters in "
    return Parameter(
        (f"{allowed}all of them",), set_of(read_text), select, longest=LONGEST_TEXT, type="string"
    )


_OF_DEFINITIONS = {
    "_id": Parameter(
        (f"1 to {MOST_VALUES} ids separated by commas",),
        set_of(read_id),
        Selection.by_id,
        type="token",
    ),
    "url": Parameter(
        (f"1 to {MOST_VALUES} canonical URLs separated by commas, each as url or as url|version",),
        set_of(read_url),
        Selection.by_url,
        type="uri",
    ),
    "version": _token(Selection.by_version),
    "status": _token(Selection.by_status),
    "name": _string(Selection.by_name),
}
_OF_CATALOGUE = {
    **_OF_DEFINITIONS,
    "identifier": _token(Selection.by_identifier),
    "context": Parameter(_CODES, read_codes, Selection.by_context, type="token"),
    "title": _string(Selection.by_words),
    "title:contains": _string(Selection.by_part_of_title),
    "title:exact": _string(Selection.by_title),
    "topic": _token(Selection.by_topic),
    "_lastUpdated": Parameter(
        ("dates or times, such as 2026-11 or ge2026-11-22T08:00:00Z",),
        set_of(read_period),
        Selection.by_last_update,
        type="date",
    ),
}
_SORT = {
    "_sort": Parameter(
        (f"{', '.join(SORTABLE)}, separated by commas, each with - for descending order",),
        read_sort,
        is_single=True,
    )
}
INCLUDED = ("PlanDefinition:definition", "PlanDefinition:definition:ActivityDefinition")
_INCLUDE = {"_include": Parameter(INCLUDED, set_of(exactly(*INCLUDED)))}
_ELEMENTS = {
    resource_type: {
        "_elements": Parameter(
            (f"1 to {MOST_VALUES} names of elements separated by commas", *names),
            # Every answer has the type; fhirpy asks for it nevertheless.
            set_of(exactly("resourceType", *names)),
        )
    }
    for resource_type, names in ELEMENTS.items()
}
_OF_RESULTS = {
    "_count": Parameter(
        (f"a number; at most {MOST_COUNT} resources are returned",),
        lambda text: min(int(read_number(text)), MOST_COUNT),
        is_single=True,
    ),
    "_summary": _control(*_SUMMARIES),
    # Accepted without effect: the total is always counted. fhirpy sends the second name.
    "_total": _control("none", "estimate", "accurate"),
    "_totalMethod": _control("count"),
    "_after": Parameter(("an id, as in the links of a Bundle",), read_id, is_single=True),
    **_FORMAT,
}

READ: Mapping[str, Mapping[str, Parameter]] = {
    resource_type: {
        **_FORMAT,
        "_summary": _control(*(summary for summary in _SUMMARIES if summary != "count")),
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
    resource_type: {**own, **_ELEMENTS[resource_type], **_OF_RESULTS}
    for resource_type, own in _OWN.items()
}


def found_by_codes(contexts: Iterable[Codings], served: Served) -> dict[Codings, Found]:
    """Return what the codes of each value of `context` find.

    Raises:
        InvalidParametersError: If no code of one can be read because no map is loaded.

    """
    found_by_codings = {}
    for codings in contexts:
        found = served.find(Question(codes=codings.codes)) if codings.codes else Found()
        if served.snomed is None and not (found.codes or codings.has_any):
            fault = ParameterFault("context", "has no code that can be read", _CODES)
            raise InvalidParametersError(fault)
        found_by_codings[codings] = found
    return found_by_codings


def parse(sent: MultiDict[str, str], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the value of each given parameter, or a tuple of them if it can be repeated.

    Raises:
        InvalidParametersError: With each fault.
        NotAcceptableError: If `_format` asks for another format than JSON.

    """
    values: dict[str, Any] = {}
    faults = []
    counts: dict[str, int] = {}
    for name, texts in sent.lists():
        parameter = parameters.get(name)
        if parameter is None:
            message = "is not a parameter of this interaction"
            faults.append(ParameterFault(name, message, tuple(parameters)))
            continue
        counts[name] = 0 if parameter.is_single else sum(len(values_of(text)) for text in texts)
        try:
            if sum(counts.values()) <= MOST_VALUES:
                values[name] = parameter.value(texts)
        except InvalidError as error:
            faults.append(ParameterFault(name, str(error), parameter.allowed))
    # Each stem of a cluster counts.
    for codings in values.get("context", ()):
        counts["context"] += sum(code.count - 1 for code in codings.codes)
    total = sum(counts.values())
    if total > MOST_VALUES:
        largest = max(counts, key=counts.__getitem__)
        message = f"has {counts[largest]} of {total} values"
        faults.append(ParameterFault(largest, message, parameters[largest].allowed))
    if "_elements" in values and "_summary" in values:
        fault = ParameterFault("_summary", "cannot be combined with _elements", ("one of them",))
        faults.append(fault)
    if faults:
        raise InvalidParametersError(*faults)
    return values


def is_known(name: str, parameters: Container[str]) -> bool:
    """Return whether this is a parameter, also with a modifier: it must not be ignored."""
    return name.partition(":")[0] in parameters
