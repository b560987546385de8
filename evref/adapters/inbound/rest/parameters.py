"""Query parameters. An unknown or repeated parameter is an error; none is ignored."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

from apiflask import Schema, fields
from flask import request
from marshmallow import ValidationError, post_load, validate, validates_schema

from evref.adapters.inbound.rest.records import value_by_value
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.diagnosis import ID_LENGTH, Module
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.record_code import (
    FORMS,
    MOST_VALUES,
    Classification,
    Edition,
    RecordCode,
    read_field,
)
from evref.domain.catalogue.served import LONGEST_TEXT
from evref.domain.rules import counted

HIGHEST_OFFSET = 1_000_000
MOST_INCLUDED = 50
"""Diagnoses in a response with their interventions."""

# A longer text is not a code, so the error does not repeat it.
_LONGEST_REPEATED = 40


class StrictQuery(Schema):
    """The parameters of one operation; `load` raises `InvalidParametersError` with all errors."""

    def load(self, data: Any, **options: Any) -> Any:
        faults = []
        given = {}
        for name in data:
            texts = data.getlist(name)
            # Some client generators repeat a parameter for each item of a list.
            is_list = isinstance(self.fields.get(name), ListField)
            if len(texts) > 1 and not is_list and name in self.fields:
                faults.append(self._fault(name, "is given more than once"))
            given[name] = texts if is_list else texts[0]
        try:
            loaded = super().load(given, **options)
        except ValidationError as error:
            messages = error.messages_dict
            # Errors are in the order of the request; missing required parameters come last.
            named = dict.fromkeys([*data, *messages])
            faults += [self._fault(name, messages[name][0]) for name in named if name in messages]
        if faults:
            raise InvalidParametersError(*faults)
        return loaded

    def _fault(self, name: str, message: str) -> ParameterFault:
        if name not in self.fields:
            names = tuple(self.fields)
            return ParameterFault(name, "is not a parameter of this operation", names)
        return ParameterFault(name, message, tuple(self.fields[name].metadata["allowed"]))


def _unlike(value: str) -> str:
    """Return what is wrong with a value; a long one is not repeated."""
    if not value:
        return "is empty"
    return f'has the unknown value "{value}"' if len(value) <= _LONGEST_REPEATED else "is too long"


class _EnumerationField(fields.Enum[Any]):
    def _deserialize(self, value: Any, *rest: Any, **options: Any) -> Any:
        try:
            return super()._deserialize(value, *rest, **options)
        except ValidationError:
            raise ValidationError(_unlike(value)) from None


def _one_of(kind: type[StrEnum], description: str) -> fields.Enum[Any]:
    return _EnumerationField(
        kind,
        by_value=True,
        metadata={"type": "string", "description": description, "allowed": list(kind)},
    )


def _enumeration(kind: type[StrEnum], description: str) -> fields.Enum[Any]:
    return _one_of(kind, value_by_value(kind, description))


class ListField(fields.String):
    """Values separated by commas, in one parameter or several of its name.

    `read` returns the values in a text; it also gets all parameters of the request. `load` returns
    those of each parameter of this name.
    """

    def __init__(
        self,
        noun: str,
        allowed: Sequence[str],
        read: Callable[[str, Mapping[str, Any]], Sequence[Any]],
        description: str,
        example: list[str],
        **items: Any,
    ) -> None:
        """`items` are keywords of the schema of a value."""
        super().__init__(
            metadata={
                "type": "array",
                "items": {"type": "string", **items},
                "minItems": 1,
                "maxItems": MOST_VALUES,
                "description": description,
                "examples": [example],
                "allowed": allowed,
            }
        )
        self.noun = noun
        self._read = read

    def _deserialize(self, value: Any, *rest: Any, **_: Any) -> Any:
        # Checked before the values are read, so that too many cost nothing.
        count = sum(text.count(",") + 1 for text in value)
        if count > MOST_VALUES:
            raise ValidationError(f"has {counted(count, self.noun)}")
        _, sent = rest
        return [self._read(text, sent) for text in value]


def _codes(classification: Classification, description: str, example: list[str]) -> ListField:
    def read(text: str, sent: Mapping[str, Any]) -> Sequence[RecordCode]:
        given = sent.get("edition") if classification is Classification.ICD_10 else None
        edition = next((known for known in Edition if known == given), None)
        return read_field(classification, text, edition)

    allowed = [f"1 to {MOST_VALUES} codes separated by commas: {FORMS[classification]}"]
    return ListField("code", allowed, read, description, example)


def _read_ids(text: str, _: Mapping[str, Any]) -> Sequence[str]:
    ids = text.split(",")
    if not all(ids):
        raise ValidationError("is empty" if ids == [""] else "has an empty id")
    return ids


def _read_groups(text: str, _: Mapping[str, Any]) -> Sequence[CardGroup]:
    groups = text.split(",")
    for group in groups:
        if group not in [*CardGroup]:
            raise ValidationError(_unlike(group))
    return [CardGroup(group) for group in groups]


def _named(text: str, place: int) -> str:
    if 0 < len(text) <= _LONGEST_REPEATED:
        return f'"{text}"'
    return f"{f'{len(text)} characters' if text else 'nothing'} in place {place}"


# Without classes such as \w, which languages define differently, so that validators of clients
# agree with the service.
_WORDS = r"[^\x00-\x20]"


def _has_words(text: str) -> None:
    if re.search(_WORDS, text) is None:
        raise ValidationError("has no words")


class Include(StrEnum):
    """Additional fields of a diagnosis in a response."""

    INTERVENTIONS = "interventions"


def _include(condition: str) -> fields.Enum[Any]:
    return _one_of(
        Include,
        "Adds `interventions` to each diagnosis: all visible interventions, as `listInterventions` "
        f"returns them{condition}.",
    )


def _words(shortest: int, description: str, example: str, **keywords: Any) -> fields.String:
    return fields.String(
        validate=[
            validate.Length(1, error="is empty"),
            validate.Length(shortest, error="is too short"),
            validate.Length(max=LONGEST_TEXT, error="is too long"),
            _has_words,
        ],
        metadata={
            "pattern": _WORDS,
            "description": description,
            "examples": [example],
            "allowed": [f"text of {shortest} to {LONGEST_TEXT} characters with at least one word"],
        },
        **keywords,
    )


class NumberField(fields.Integer):
    """A whole number in decimal digits."""

    def __init__(self, lowest: int, highest: int, default: int, description: str) -> None:
        super().__init__(
            load_default=default,
            validate=validate.Range(lowest, highest, error="is out of range"),
            metadata={
                "format": "int32",
                "description": description,
                "allowed": [f"a whole number from {lowest:,} to {highest:,}"],
            },
        )

    def _deserialize(self, value: Any, *rest: Any, **options: Any) -> Any:
        # int() also reads signs, spaces, underscores and the digits of other scripts.
        if re.fullmatch(r"[0-9]{1,9}", value) is None:
            raise ValidationError(_unlike(value))
        return super()._deserialize(value, *rest, **options)


class _CodesQuery(StrictQuery):
    """Parameters with codes, which are alternatives; all others must match.

    `load` returns the codes of all code systems as one tuple, `codes`, in request order.
    """

    icd10 = _codes(
        Classification.ICD_10,
        f"1 to {MOST_VALUES} codes as written in records, separated by commas or in several "
        "parameters `icd10`, in upper or lower case: codes of WHO's ICD-10 and of its national "
        "modifications. They may be longer "
        "(`M17.11`, `S72.001A`), omit the dot (`M171`), have marks (`G30.1+`, `F00.1*`, `F32.1!`, "
        "`M17.-`; encode `+` as `%2B` in a URL), stray spaces, a letter of ICD-10-GM (`F32.1 G`, "
        "`M17.1 L`; `V` and `Z` make the relation approximate, `A` is not searched), or be a pair "
        "(`G30.1+ F00.1*`). Selects the diagnoses that any of the codes means, certainly or "
        "approximately: `M17.1` finds a diagnosis with the code `M17`. The codes of `icd10`, "
        "`icd11` and `snomed` are alternatives. `meta.matches` shows how each code was read, and "
        "how well it fits each diagnosis. A part that cannot be read does not affect the others; "
        "if no code can be read, the response is 422.",
        ["M17.11", "S72.001A", "F32.1 G"],
    )
    edition = _enumeration(
        Edition,
        "The edition that the codes of `icd10` are from. The same code can mean different "
        "conditions (`G47.31` is central sleep apnoea in ICD-10-CM, and obstructive in "
        "ICD-10-GM), so send it if you know it. Only with `icd10`:",
    )
    icd11 = _codes(
        Classification.ICD_11,
        f"1 to {MOST_VALUES} codes of ICD-11 MMS, separated by commas or in several parameters "
        "`icd11`, in upper or lower case: stem codes, or clusters of stem codes (`/`) and "
        "extension codes (`&`; encode it as `%26` in a URL). Selects the diagnoses that any of "
        "the codes, or any of their stems, means. `meta.matches` shows how well it fits each. At "
        f"most {MOST_VALUES} codes in all parameters together; each stem counts as one.",
        ["FA01.0&XK8G", "BA00"],
    )
    snomed = _codes(
        Classification.SNOMED_CT,
        f"1 to {MOST_VALUES} codes of SNOMED CT, separated by commas or in several parameters "
        "`snomed`. Only if the operator has loaded a map of SNOMED CT to ICD-10; otherwise the "
        "response is 422. Selects the diagnoses that any of the codes means by this map. In "
        "`meta.matches`, `read_as` contains the ICD-10 codes; the relation is approximate if the "
        "map depends on the patient's age, sex or other findings and its branches disagree.",
        ["239873007", "49436004"],
    )

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def check_values(self, data: dict[str, Any], sent: Mapping[str, Any], **_: Any) -> None:
        """Check rules that combine parameters.

        `data` lacks the parameters that have an error of their own; `sent` has all parameters.
        """
        messages = {}
        values = {
            name: (field.noun, [*chain(*data[name])])
            for name, field in self.fields.items()
            if isinstance(field, ListField) and name in data
        }
        if "edition" in data and "icd10" not in sent:
            messages["edition"] = "is given without icd10"
        if "include" in data and not any(name in sent for name in Classification):
            messages["include"] = "is given without codes"
        codes = {name: values[name][1] for name in Classification if name in values}
        is_any_read = any(code.read_as is not None for code in chain(*codes.values()))
        counts = {name: sum(map(_count, listed)) for name, (_, listed) in values.items()}
        total = sum(counts.values())
        for name, (noun, listed) in values.items():
            if total > MOST_VALUES:
                of_total = f" of {total}" if counts[name] < total else ""
                messages[name] = f"has {counted(counts[name], noun)}{of_total}"
            elif name in codes and not is_any_read:
                malformed = (
                    _named(code.given, place) for place, code in enumerate(listed, start=1)
                )
                messages[name] = f"is malformed: {', '.join(malformed)}"
        if messages:
            raise ValidationError({name: [message] for name, message in messages.items()})

    @post_load
    def join_values(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Join the values of each list, and the codes of all systems in request order."""
        given = {str(name): iter(data.pop(name)) for name in Classification if name in data}
        # `request.args` does not say how parameters of several names alternate.
        query = parse_qsl(request.query_string.decode("latin-1"), keep_blank_values=True)
        codes = tuple(chain(*(next(given[name]) for name, _ in query if name in given)))
        joined = {
            name: tuple(chain(*value)) if isinstance(self.fields[name], ListField) else value
            for name, value in data.items()
        }
        return {**joined, "codes": codes}


def _count(value: object) -> int:
    return value.count if isinstance(value, RecordCode) else 1


class DiagnosesQuery(_CodesQuery):
    """The parameters of `listDiagnoses`."""

    include = _include(
        f". Only with codes; at most {MOST_INCLUDED} diagnoses. `module` does not "
        "filter the interventions"
    )
    module = _enumeration(Module, "Returns only diagnoses for which this module is enabled:")
    q = _words(
        1,
        "Words, as people type them: a name, a lay name or an abbreviation, in one of the "
        "languages of `terms`, also with other words around it. Returns only diagnoses that these "
        "words name, the best match first. A word that is wider than one diagnosis (stroke, knee "
        "pain) finds all of its diagnoses. Case, accents, apostrophes, hyphens and British or "
        "American spelling do not matter. An abbreviation counts only as a whole; one that is also "
        "an ordinary word (als, led) only in capitals, or as the whole query. Slips of spelling in "
        "words of five letters or more are corrected only if more of the text is then a name. "
        "`meta.found` says why each diagnosis was found, and `meta.suggestions` which may be meant "
        "if none was.",
        "heart attack",
    )


class DiagnosisQuery(StrictQuery):
    include = _include("")


class InterventionsQuery(StrictQuery):
    module = _enumeration(
        Module,
        "Returns only interventions of this module. The list is empty if the module is not enabled "
        "for the diagnosis:",
    )
    phase = _enumeration(Phase, "Returns only interventions of this phase:")


class InterventionSearchQuery(_CodesQuery):
    """The parameters of `searchInterventions`: words, codes or diagnoses, and filters."""

    q = _words(
        2,
        "An intervention, often with a diagnosis, as people type it: CPAP, ibuprofen back pain, "
        "should I MRI back pain. Read as in `listDiagnoses`; treatments and facets count, too. "
        "Required unless the request has codes or `diagnosis`.",
        "exercise knee osteoarthritis",
    )
    diagnosis = ListField(
        "id",
        [f"1 to {MOST_VALUES} ids of diagnoses separated by commas"],
        _read_ids,
        f"Returns only interventions for these diagnoses: 1 to {MOST_VALUES} ids, separated by "
        "commas or in several parameters `diagnosis`.",
        ["knee-osteoarthritis", "hip-osteoarthritis"],
        maxLength=ID_LENGTH.longest,
    )
    group = ListField(
        "group",
        [*CardGroup],
        _read_groups,
        value_by_value(
            CardGroup,
            "Returns only interventions of these groups, separated by commas or in several "
            "parameters `group`. All codes, ids and groups of a request are at most "
            f"{MOST_VALUES}:",
        ),
        ["advised_against"],
        enum=CardGroup,
    )
    module = _enumeration(Module, "Returns only interventions of this module:")
    phase = _enumeration(Phase, "Returns only interventions of this phase:")
    direction = _enumeration(
        Direction, "Returns only interventions for which the sources have this direction:"
    )
    limit = NumberField(1, 100, 25, "The highest number of interventions to return.")
    offset = NumberField(0, HIGHEST_OFFSET, 0, "The number of interventions to skip.")

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def check_question(self, _: dict[str, Any], sent: Mapping[str, Any], **__: Any) -> None:
        """Check that there is a question, because filters alone are none."""
        if not any(name in sent for name in ("q", "diagnosis", *Classification)):
            raise ValidationError({"q": ["is required without codes and diagnosis"]})


class ChangesQuery(StrictQuery):
    limit = NumberField(1, 100, 20, "The highest number of publications to return.")
    offset = NumberField(0, HIGHEST_OFFSET, 0, "The number of publications to skip.")
    since = fields.String(
        validate=validate.Regexp("^[0-9a-f]{16}$", error="is malformed"),
        metadata={
            "description": "A `catalogue_version`; cannot be combined with limit and offset. "
            "Returns one item that compares this version with the present catalogue, or no item if "
            "they are the same. "
            "The catalogues of the last 20 publications are stored; for any other version the "
            "response is 422: read the whole catalogue instead.",
            "maxLength": 16,
            "examples": ["0123456789abcdef"],
            "allowed": ("the `catalogue_version` of one of the last 20 publications",),
        },
    )

    def load(self, data: Any, **options: Any) -> Any:
        loaded = super().load(data, **options)
        beside = [name for name in ("limit", "offset") if name in data]
        if "since" in data and beside:
            message = "cannot be used with since"
            raise InvalidParametersError(*(ParameterFault(name, message) for name in beside))
        return loaded


class NoQuery(StrictQuery):
    """For operations without parameters."""
