"""A knowledge request, with the parameters of the URL-based implementation guide, release 4."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS, SNOMED_CT, URN, by_oid
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.record_code import FORMS, MOST_VALUES, RecordCode, read_field
from evref.domain.catalogue.search.found import LONGEST_TEXT, Found
from evref.domain.catalogue.served import Question, Served
from evref.domain.redaction import without_keys

HTML = "text/html"
XML = "text/xml"
JSON = "application/json"
RESPONSE_TYPES = (XML, "application/xml", "application/atom+xml", JSON, HTML)

_OID = re.compile(r"[0-2](\.(0|[1-9][0-9]*))+", re.ASCII)

_CRITERIA = "mainSearchCriteria.v"
_SUB_TOPIC = "subTopic.v"
_PARTS = ("c", "cs", "dn", "ot")
RESPONSE_TYPE = "knowledgeResponseType"

# The parameters that the service reads, or repeats in the response. The examples of the guide
# differ in upper and lower case, and a subtopic ignored for its case would return unfiltered data.
_NAMES = {
    name.lower(): name
    for name in (
        *(f"{of}.{part}" for of in (_CRITERIA, _SUB_TOPIC) for part in _PARTS),
        "taskContext.c.c",
        "informationRecipient",
        "informationRecipient.languageCode.c",
        RESPONSE_TYPE,
    )
}

_DIGITS = "0123456789"

MESH = "2.16.840.1.113883.6.177"


@dataclass(frozen=True, slots=True)
class SubTopic:
    """A MeSH qualifier (Q) or descriptor (D), and the modules that cover it, if any.

    `of_cautions` says that only interventions with cautions cover it.
    """

    code: str
    name: str
    modules: tuple[Module, ...]
    of_cautions: bool = False

    def covers(self, intervention: Intervention) -> bool:
        has_it = intervention.cautions is not None or not self.of_cautions
        return has_it and intervention.module in self.modules


SUB_TOPICS = (
    SubTopic("Q000175", "diagnosis", (Module.DIAGNOSTIC,)),
    SubTopic("Q000188", "drug therapy", (Module.PHARMACONEUTRAL,)),
    SubTopic("Q000517", "prevention & control", (Module.PREVENTION,)),
    SubTopic("Q000534", "rehabilitation", (Module.FITT_VIP, Module.HOME, Module.CONCEPT)),
    SubTopic(
        "Q000628", "therapy", (Module.FITT_VIP, Module.PHARMACONEUTRAL, Module.HOME, Module.CONCEPT)
    ),
    SubTopic("D012648", "self care", (Module.HOME,)),
    SubTopic("Q000009", "adverse effects", tuple(Module), of_cautions=True),
    SubTopic("Q000744", "contraindications", tuple(Module), of_cautions=True),
)
"""The API reference gives the reasons for this mapping."""

OTHER_CONTENT = {
    "2.16.840.1.113883.6.88": "a medicine (RxNorm)",
    "2.16.840.1.113883.6.69": "a medicine (NDC)",
    "2.16.840.1.113883.6.73": "a medicine (ATC)",
    "2.16.840.1.113883.6.1": "a test (LOINC)",
    "2.16.840.1.113883.6.12": "a procedure (CPT)",
}
"""What the codes of these code systems mean, by OID: never a diagnosis."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A search criterion: codes, or words if no code is given or its code system is not supported.

    It has neither if the code system is not supported and there are no words. `parameter` is the
    name of the parameter that was read, and `label` is its name for people. `is_replaced` is
    whether words stand for a code. `other` says what it is if it is never a diagnosis; then its
    words ask for interventions.
    """

    parameter: str
    label: str
    codes: tuple[RecordCode, ...] = ()
    words: str = ""
    is_replaced: bool = False
    other: str | None = None

    @property
    def count(self) -> int:
        """The number of values that it counts as."""
        return sum(code.count for code in self.codes) or 1

    @property
    def is_read(self) -> bool:
        return bool(self.words) or any(code.read_as is not None for code in self.codes)

    @property
    def is_searched(self) -> bool:
        """Whether it may name a diagnosis."""
        return bool(self.codes or self.words) and self.other is None

    def found_in(self, served: Served) -> Found:
        if not self.is_searched:
            return Found(())
        return served.find(Question(codes=self.codes, words=self.words or None, is_of_record=True))


@dataclass(frozen=True, slots=True)
class KnowledgeRequest:
    """The search criteria, of which a diagnosis meets at least one, and the subtopics.

    Without subtopics, all interventions are asked for. `context` has the parameters that the
    response repeats, with their numbers. `response_type` is one of `RESPONSE_TYPES`.
    """

    criteria: tuple[Criterion, ...]
    sub_topics: tuple[SubTopic, ...]
    context: tuple[tuple[str, str], ...]
    response_type: str

    def asks_for(self, intervention: Intervention) -> bool:
        return not self.sub_topics or any(topic.covers(intervention) for topic in self.sub_topics)

    def only_module(self, modules: Iterable[Module] = Module) -> Module | None:
        """Return the one of the modules that the subtopics ask for; None if there are several."""
        wanted = [
            module
            for module in modules
            if not self.sub_topics or any(module in topic.modules for topic in self.sub_topics)
        ]
        return wanted[0] if len(wanted) == 1 else None


def parse(
    args: MultiDict[str, str], response_types: Sequence[str], served: Served
) -> KnowledgeRequest:
    """Read the parameters of a request. As the standard requires, unknown ones are ignored.

    The map of what is served says which codes of SNOMED CT are read.
    """
    values, faults = _parameters(args)
    numbers, sub_topics = _numbers(values, _CRITERIA), _numbers(values, _SUB_TOPIC)
    if not (numbers or faults):
        faults.append(_missing_code(""))
    criteria = [
        criterion for number in numbers if (criterion := _criterion(values, number, faults, served))
    ]
    if not any(criterion.is_read for criterion in criteria):
        # Codes that cannot be read do not affect the others.
        faults += [
            ParameterFault(criterion.parameter, "is malformed", (FORMS[codes[0].classification],))
            for criterion in criteria
            if (codes := criterion.codes)
        ]
    count = len(sub_topics) + sum(criterion.count for criterion in criteria)
    if count > MOST_VALUES:
        kinds = "codes, words and subtopics in all; each stem counts as one"
        allowed = (f"at most {MOST_VALUES} {kinds}",)
        parameter = criteria[-1].parameter if criteria else f"{_SUB_TOPIC}.c{sub_topics[-1]}"
        faults.append(ParameterFault(parameter, f"is one of {count} values", allowed))
    # A limit on the total, so that many criteria cost no more than one.
    if sum(len(criterion.words) for criterion in criteria) > LONGEST_TEXT:
        longest = max(criteria, key=lambda criterion: len(criterion.words))
        allowed = (f"text of 1 to {LONGEST_TEXT} characters in all criteria",)
        faults.append(ParameterFault(longest.parameter, "is too long", allowed))
    kind = response_type(args)
    if kind not in response_types:
        message = "is not one of the allowed values"
        faults.append(ParameterFault(RESPONSE_TYPE, message, tuple(response_types)))
    if faults:
        raise InvalidParametersError(*faults)
    return KnowledgeRequest(
        tuple(criteria),
        tuple(_sub_topic(values, number) for number in sub_topics),
        tuple((name, without_keys(text)) for name, text in values.items() if name != RESPONSE_TYPE),
        kind,
    )


def response_type(args: MultiDict[str, str]) -> str:
    """Return the requested response type, in lower case."""
    values, _ = _parameters(args)
    # A plus sign that is not percent-encoded arrives as a space.
    return values.get(RESPONSE_TYPE, XML).lower().replace(" ", "+")


def _parameters(args: MultiDict[str, str]) -> tuple[dict[str, str], list[ParameterFault]]:
    """Return the known parameters that are not blank, and an error for each that is repeated."""
    values: dict[str, str] = {}
    faults: list[ParameterFault] = []
    # The standard numbers a parameter that it repeats: mainSearchCriteria.v.c1.
    for sent, text in args.items(multi=True):
        number = sent[len(sent.rstrip(_DIGITS)) :]
        name = _NAMES.get(sent.removesuffix(number).lower())
        if name is None or (number and not name.startswith((_CRITERIA, _SUB_TOPIC))):
            continue
        name += number
        if name in values:
            faults.append(ParameterFault(name, "is given more than once", ("one value",)))
        elif text.strip():
            values[name] = text.strip()
    return values, faults


def _numbers(values: Iterable[str], of: str) -> list[str]:
    """Return the numbers of the parameters that begin with `of`, each once."""
    names = [name for name in values if name.startswith(of)]
    return list(dict.fromkeys(name[len(name.rstrip(_DIGITS)) :] for name in names))


def _parts(values: dict[str, str], of: str, number: str) -> list[str]:
    """Return code, OID, display name and original text; a part that is missing is empty."""
    return [values.get(f"{of}.{part}{number}", "") for part in _PARTS]


def _without_urn(oid: str) -> str:
    return re.sub(f"^{URN}", "", oid, flags=re.IGNORECASE)


def _criterion(
    values: dict[str, str], number: str, faults: list[ParameterFault], served: Served
) -> Criterion | None:
    """Return the criterion with this number; None if it has a fault, which is added to `faults`."""
    code, oid, name, text = _parts(values, _CRITERIA, number)
    oid = _without_urn(oid)
    words = name or text
    parameter = f"{_CRITERIA}.c{number}"
    in_words = f"{_CRITERIA}.{'dn' if name else 'ot'}{number}"
    if not code:
        if words:
            return Criterion(in_words, f"“{without_keys(words)}”", words=words)
        faults.append(_missing_code(number))
        return None
    is_oid = _OID.fullmatch(oid) is not None
    if not (is_oid or (oid and words)):
        message = "is not an OID" if oid else "is missing"
        allowed = tuple(f"{system.oid} ({system.name})" for system in CODE_SYSTEMS)
        faults.append(ParameterFault(f"{_CRITERIA}.cs{number}", message, allowed))
        return None
    system = by_oid(oid, code) if is_oid else None
    codes = () if system is None else read_field(system.classification, code, system.edition)
    codes = served.resolve(codes)
    # A code that is not in the map is treated like a code of an unsupported system.
    if system is not None and (system is not SNOMED_CT or any(code.read_as for code in codes)):
        labels = (f"{system.name} {code.shown}" for code in codes if code.given)
        return Criterion(parameter, ", ".join(labels), codes)
    label = without_keys(f"code {code} of the code system {oid}")
    other = OTHER_CONTENT.get(oid)
    if not words:
        return Criterion(parameter, label, other=other)
    label += without_keys(f", “{words}”")
    return Criterion(in_words, label, words=words, is_replaced=other is None, other=other)


def _missing_code(number: str) -> ParameterFault:
    allowed = (
        f"a code, and its code system in {_CRITERIA}.cs{number}; or words in {_CRITERIA}.dn{number}"
    )
    return ParameterFault(f"{_CRITERIA}.c{number}", "is missing", (allowed,))


def _sub_topic(values: dict[str, str], number: str) -> SubTopic:
    """Return the subtopic with this number; one that is not mapped has no modules."""
    code, oid, name, text = _parts(values, _SUB_TOPIC, number)
    if _without_urn(oid) in {MESH, ""}:
        for topic in SUB_TOPICS:
            if topic.code == code.upper():
                return topic
    return SubTopic(code, without_keys(name or text or code or oid), ())
