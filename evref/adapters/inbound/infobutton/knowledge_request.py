"""A knowledge request, with the parameters of the URL-based implementation guide, release 4."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.infobutton.mappings import (
    CODE_SYSTEMS,
    MESH,
    SubTopic,
    code_system,
    sub_topic,
)
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.matching import Match
from evref.domain.catalogue.record_code import FORMS, RecordCode, read_field
from evref.domain.redaction import without_keys

HTML = "text/html"
XML = "text/xml"
JSON = "application/json"
RESPONSE_TYPES = (XML, "application/xml", "application/atom+xml", JSON, HTML)

LONGEST_TEXT = 200
MOST_CRITERIA = 50

# A longer text is not a code, and the error does not repeat it.
_LONGEST_REPEATED = 40

_OID = re.compile(r"[0-2](\.(0|[1-9][0-9]*))+", re.ASCII)

_CRITERIA = "mainSearchCriteria.v"
_SUB_TOPIC = "subTopic.v"
RESPONSE_TYPE = "knowledgeResponseType"

# The parameters that the service reads, or repeats in the response. The examples of the guide
# differ in upper and lower case, and a subtopic ignored for its case would return unfiltered data.
_NAMES = {
    name.lower(): name
    for name in (
        *(f"{of}.{part}" for of in (_CRITERIA, _SUB_TOPIC) for part in ("c", "cs", "dn", "ot")),
        "taskContext.c.c",
        "informationRecipient",
        "informationRecipient.languageCode.c",
        RESPONSE_TYPE,
    )
}

_Values: TypeAlias = dict[tuple[str, str], str]
"""Texts by the parameter's name and number, such as mainSearchCriteria.v.c and 1."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What to search by: codes, or words if no code is given or its code system is not read.

    It has neither if the code is of a code system that the service does not read and there are no
    words. `label` names the criterion for people. `is_replaced` is whether words stand for a code.
    """

    label: str
    codes: tuple[RecordCode, ...] = ()
    words: str | None = None
    is_replaced: bool = False

    @property
    def is_read(self) -> bool:
        return bool(self.words) or any(code.read_as is not None for code in self.codes)

    def found_in(self, catalogue: Catalogue) -> Iterable[Entry]:
        if self.words is not None:
            hits = catalogue.named(self.words).hits
            return (catalogue.entry(hit.diagnosis_id) for hit in hits)
        return (
            catalogue.entry(fit.diagnosis_id)
            for match in catalogue.matches(self.codes)
            for fit in match.fits
        )


@dataclass(frozen=True, slots=True)
class AskedSubTopic:
    """A requested subtopic; `known` is None if no module is about it."""

    label: str
    known: SubTopic | None


@dataclass(frozen=True, slots=True)
class KnowledgeRequest:
    """The search criteria, of which a diagnosis meets at least one, and the subtopics.

    `context` has the parameters that the response repeats, with their numbers. `response_type` is
    one of `RESPONSE_TYPES`.
    """

    criteria: tuple[Criterion, ...]
    sub_topics: tuple[AskedSubTopic, ...]
    context: tuple[tuple[str, str], ...]
    response_type: str

    def found_in(self, catalogue: Catalogue) -> tuple[Entry, ...]:
        """Return the entries that meet a criterion, in the order of the criteria."""
        found = {
            entry.diagnosis.id: entry
            for criterion in self.criteria
            for entry in criterion.found_in(catalogue)
        }
        return tuple(found.values())

    def matches(self, catalogue: Catalogue) -> tuple[Match, ...]:
        """Return what each code finds, in the order of the criteria."""
        return catalogue.matches(code for each in self.criteria for code in each.codes)

    def asks_for(self, module: Module) -> bool:
        """Return whether a subtopic asks for this module; without subtopics, the request does."""
        return not self.sub_topics or any(
            each.known is not None and module in each.known.modules for each in self.sub_topics
        )


def read(args: MultiDict[str, str], response_types: Sequence[str]) -> KnowledgeRequest:
    """Read the parameters of a request. As the standard requires, unknown ones are ignored.

    Raises:
        InvalidParametersError: If a known parameter is repeated or has an invalid value, or if
            there is no search criterion.

    """
    values, faults = _parameters(args)
    numbers = dict.fromkeys(number for name, number in values if name.startswith(_CRITERIA))
    if len(numbers) > MOST_CRITERIA:
        allowed = (f"at most {MOST_CRITERIA} search criteria",)
        faults.append(ParameterFault(_CRITERIA, f"is given {len(numbers)} times", allowed))
        numbers = {}
    elif not numbers and not faults:
        faults.append(_missing_code(""))
    criteria, malformed = _criteria(values, numbers)
    faults += malformed
    # As a whole, so that many criteria cost no more than one.
    if sum(len(each.words or "") for each in criteria) > LONGEST_TEXT:
        allowed = (f"text of 1 to {LONGEST_TEXT} characters in all criteria",)
        faults.append(ParameterFault(f"{_CRITERIA}.dn", "is too long", allowed))
    response_type = values.pop((RESPONSE_TYPE, ""), XML).lower()
    if response_type not in response_types:
        message = "is not one of the allowed values"
        faults.append(ParameterFault(RESPONSE_TYPE, message, tuple(response_types)))
    if faults:
        raise InvalidParametersError(*faults)
    return KnowledgeRequest(
        tuple(criteria),
        tuple(_sub_topics(values)),
        tuple((name + number, without_keys(text)) for (name, number), text in values.items()),
        response_type,
    )


def response_type(args: MultiDict[str, str]) -> str:
    """Return the requested response type, in lower case."""
    values, _ = _parameters(args)
    return values.get((RESPONSE_TYPE, ""), XML).lower()


def _parameters(args: MultiDict[str, str]) -> tuple[_Values, list[ParameterFault]]:
    """Return the known parameters that are not blank, and the faults of those that are repeated."""
    values: _Values = {}
    faults: list[ParameterFault] = []
    # The standard numbers a parameter that it repeats: mainSearchCriteria.v.c1.
    for given, text in args.items(multi=True):
        number = given[len(given.rstrip("0123456789")) :]
        name = _NAMES.get(given.removesuffix(number).lower())
        if name is None or (number and not name.startswith((_CRITERIA, _SUB_TOPIC))):
            continue
        if (name, number) in values:
            faults.append(ParameterFault(name + number, "is given more than once", ("one value",)))
        elif text.strip():
            values[name, number] = text.strip()
    return values, faults


def _criteria(
    values: _Values, numbers: Iterable[str]
) -> tuple[list[Criterion], list[ParameterFault]]:
    """Return the criteria with these numbers, and their faults."""
    found = {number: _criterion(values, number) for number in numbers}
    criteria = [each for each in found.values() if isinstance(each, Criterion)]
    if any(code.read_as is not None for each in criteria for code in each.codes):
        # A code that was read says what is meant; the words of another might find something else.
        criteria = [Criterion(each.label) if each.is_replaced else each for each in criteria]
    # Codes that cannot be read do not affect the others.
    is_any_read = any(each.is_read for each in criteria)
    faults = [
        each if isinstance(each, ParameterFault) else _malformed(each.codes, number)
        for number, each in found.items()
        if isinstance(each, ParameterFault) or (each.codes and not is_any_read)
    ]
    if sum(len(each.codes) for each in criteria) > MOST_CRITERIA:
        allowed = (f"at most {MOST_CRITERIA} codes in all criteria",)
        faults.append(ParameterFault(f"{_CRITERIA}.c", "has too many codes", allowed))
    return criteria, faults


def _criterion(values: _Values, number: str) -> Criterion | ParameterFault:
    code, oid, *texts = (
        values.get((f"{_CRITERIA}.{part}", number)) for part in ("c", "cs", "dn", "ot")
    )
    words = next(filter(None, texts), None)
    if code is not None:
        return _coded(code, oid, number, words)
    if words is None:
        return _missing_code(number)
    return Criterion(f"“{without_keys(words)}”", words=words)


def _missing_code(number: str) -> ParameterFault:
    allowed = (
        f"a code, and its code system in {_CRITERIA}.cs{number}; or words in {_CRITERIA}.dn{number}"
    )
    return ParameterFault(f"{_CRITERIA}.c{number}", "is missing", (allowed,))


def _malformed(codes: tuple[RecordCode, ...], number: str) -> ParameterFault:
    given = ", ".join(code.given for code in codes)
    shown = f'"{given}"' if len(given) <= _LONGEST_REPEATED else f"{len(given)} characters"
    allowed = (FORMS[codes[0].classification],)
    return ParameterFault(f"{_CRITERIA}.c{number}", f"is malformed: {shown}", allowed)


def _coded(
    code: str, oid: str | None, number: str, words: str | None
) -> Criterion | ParameterFault:
    if oid is None or _OID.fullmatch(oid) is None:
        message = "is missing" if oid is None else "is not an OID"
        allowed = tuple(f"{each.oid} ({each.name})" for each in CODE_SYSTEMS)
        return ParameterFault(f"{_CRITERIA}.cs{number}", message, allowed)
    system = code_system(oid, code)
    if system is None:
        label = f"code {code} of the code system {oid}"
        if words is None:
            return Criterion(without_keys(label))
        return Criterion(without_keys(f"{label}, “{words}”"), words=words, is_replaced=True)
    codes = read_field(system.classification, code, system.edition)
    labels = (f"{system.name} {each.read_as or each.given}" for each in codes if each.given)
    return Criterion(", ".join(labels), codes)


def _sub_topics(values: _Values) -> Iterable[AskedSubTopic]:
    for number in dict.fromkeys(number for name, number in values if name.startswith(_SUB_TOPIC)):
        code, oid, *texts = (
            values.get((f"{_SUB_TOPIC}.{part}", number)) for part in ("c", "cs", "dn", "ot")
        )
        known = sub_topic(code) if code is not None and oid in {MESH, None} else None
        label = known.name if known else next(filter(None, (*texts, code, oid)))
        yield AskedSubTopic(without_keys(label), known)
