"""Query parameters. An unknown or repeated parameter is an error; none is ignored.

`openapi.toml` describes them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

from apiflask import Schema, fields
from flask import request
from marshmallow import ValidationError, post_load, validate, validates_schema

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
from evref.domain.catalogue.search.found import LONGEST_TEXT

HIGHEST_OFFSET = 1_000_000
MOST_INCLUDED = 50
"""Diagnoses in a response with their interventions."""

_UNKNOWN = "has an unknown value"
_TOO_MANY = f"has more than {MOST_VALUES} values, alone or with other parameters"


class StrictQuery(Schema):
    """The parameters of one operation; `load` raises `InvalidParametersError` with all errors."""

    def load(self, data: Any, **options: Any) -> Any:
        faults = []
        values = {}
        for name in data:
            texts = data.getlist(name)
            # Some client generators repeat a parameter for each item of a list.
            is_list = isinstance(self.fields.get(name), ListField)
            if len(texts) > 1 and not is_list and name in self.fields:
                faults.append(self._fault(name, "is given more than once"))
            values[name] = texts if is_list else texts[0]
        try:
            loaded = super().load(values, **options)
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


def _one_of(kind: type[StrEnum]) -> fields.Enum[Any]:
    return fields.Enum(
        kind,
        by_value=True,
        error_messages={"unknown": _UNKNOWN},
        metadata={"type": "string", "allowed": list(kind)},
    )


class ListField(fields.String):
    """Values separated by commas, in one parameter or several of its name.

    `read` returns the values in a text, or raises ValueError; it also gets all parameters of the
    request. `load` returns a list for each parameter of this name.
    """

    def __init__(
        self,
        allowed: Sequence[str],
        read: Callable[[str, Mapping[str, Any]], Sequence[Any]],
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
                "examples": [example],
                "allowed": allowed,
            }
        )
        self._read = read

    def _deserialize(self, value: Any, *rest: Any, **_: Any) -> Any:
        # Checked before the values are read, so that too many cost nothing.
        if sum(text.count(",") + 1 for text in value) > MOST_VALUES:
            raise ValidationError(_TOO_MANY)
        _, sent = rest
        try:
            return [self._read(text, sent) for text in value]
        except ValueError:
            raise ValidationError(_UNKNOWN) from None


def _codes(classification: Classification, example: list[str]) -> ListField:
    def read(text: str, sent: Mapping[str, Any]) -> Sequence[RecordCode]:
        named = sent.get("edition") if classification is Classification.ICD_10 else None
        edition = next((edition for edition in Edition if edition == named), None)
        return read_field(classification, text, edition)

    allowed = [f"1 to {MOST_VALUES} codes separated by commas: {FORMS[classification]}"]
    return ListField(allowed, read, example)


def _read_ids(text: str, _: Mapping[str, Any]) -> Sequence[str]:
    ids = text.split(",")
    if not all(ids):
        raise ValueError
    return ids


def _read_groups(text: str, _: Mapping[str, Any]) -> Sequence[CardGroup]:
    return [CardGroup(group) for group in text.split(",")]


# Without classes such as \w, which languages define differently, so that validators of clients
# agree with the service.
_WORDS = r"[^\x00-\x20]"


def _has_words(text: str) -> None:
    if re.search(_WORDS, text) is None:
        raise ValidationError("has no words")


class Include(StrEnum):
    INTERVENTIONS = "interventions"


def _words(shortest: int, example: str) -> fields.String:
    return fields.String(
        validate=[
            validate.Length(shortest, LONGEST_TEXT, error="is too short or too long"),
            _has_words,
        ],
        metadata={
            "pattern": _WORDS,
            "examples": [example],
            "allowed": [f"text of {shortest} to {LONGEST_TEXT} characters with at least one word"],
        },
    )


class NumberField(fields.Integer):
    def __init__(self, lowest: int, highest: int, default: int) -> None:
        super().__init__(
            load_default=default,
            validate=validate.Range(lowest, highest, error="is out of range"),
            metadata={
                "format": "int32",
                "allowed": [f"a whole number from {lowest:,} to {highest:,}"],
            },
        )

    def _deserialize(self, value: Any, *rest: Any, **options: Any) -> Any:
        # int() also reads signs, spaces, underscores and the digits of other scripts.
        if re.fullmatch(r"[0-9]{1,9}", value) is None:
            raise ValidationError(_UNKNOWN)
        return super()._deserialize(value, *rest, **options)


class _CodesQuery(StrictQuery):
    """Parameters with codes, which are alternatives; all others must match.

    `load` returns the codes of all code systems as one tuple, `codes`, in request order.
    """

    icd10 = _codes(Classification.ICD_10, ["M17.11", "S72.001A", "F32.1 G"])
    edition = _one_of(Edition)
    icd11 = _codes(Classification.ICD_11, ["FA01.0&XK8G", "BA00"])
    snomed = _codes(Classification.SNOMED_CT, ["239873007", "49436004"])

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def check_values(self, data: dict[str, Any], sent: Mapping[str, Any], **_: Any) -> None:
        """Check rules that combine parameters; `data` lacks those with an error of their own."""
        messages = {}
        lists = {
            name: [*chain(*data[name])]
            for name, field in self.fields.items()
            if isinstance(field, ListField) and name in data
        }
        codes = {name: lists[name] for name in Classification if name in lists}
        if "edition" in data and "icd10" not in sent:
            messages["edition"] = "is given without icd10"
        if "include" in data and not any(name in sent for name in Classification):
            messages["include"] = "is given without codes"
        if sum(map(_count, chain(*lists.values()))) > MOST_VALUES:
            messages |= dict.fromkeys(lists, _TOO_MANY)
        elif all(code.read_as is None for code in chain(*codes.values())):
            messages |= dict.fromkeys(codes, "has no code that can be read")
        if messages:
            raise ValidationError({name: [message] for name, message in messages.items()})

    @post_load
    def join_values(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Join the values of each list, and the codes of all systems in request order."""
        fields_of = {str(name): iter(data.pop(name)) for name in Classification if name in data}
        # `request.args` does not say how parameters of several names alternate.
        query = parse_qsl(request.query_string.decode("latin-1"), keep_blank_values=True)
        codes = tuple(chain(*(next(fields_of[name]) for name, _ in query if name in fields_of)))
        joined = {
            name: tuple(chain(*value)) if isinstance(self.fields[name], ListField) else value
            for name, value in data.items()
        }
        return {**joined, "codes": codes}


def _count(value: object) -> int:
    return value.count if isinstance(value, RecordCode) else 1


class DiagnosesQuery(_CodesQuery):
    include = _one_of(Include)
    module = _one_of(Module)
    q = _words(1, "heart attack")


class DiagnosisQuery(StrictQuery):
    include = _one_of(Include)


class InterventionsQuery(StrictQuery):
    module = _one_of(Module)
    phase = _one_of(Phase)


class InterventionSearchQuery(_CodesQuery):
    q = _words(2, "exercise knee osteoarthritis")
    diagnosis = ListField(
        [f"1 to {MOST_VALUES} ids of diagnoses separated by commas"],
        _read_ids,
        ["knee-osteoarthritis", "hip-osteoarthritis"],
        maxLength=ID_LENGTH.longest,
    )
    group = ListField([*CardGroup], _read_groups, ["advised_against"], enum=CardGroup)
    module = _one_of(Module)
    phase = _one_of(Phase)
    direction = _one_of(Direction)
    limit = NumberField(1, 100, 25)
    offset = NumberField(0, HIGHEST_OFFSET, 0)

    @validates_schema(skip_on_field_errors=False, pass_original=True)
    def check_question(self, _: dict[str, Any], sent: Mapping[str, Any], **__: Any) -> None:
        if not any(name in sent for name in ("q", "diagnosis", *Classification)):
            raise ValidationError({"q": ["is required without codes and diagnosis"]})


class ChangesQuery(StrictQuery):
    limit = NumberField(1, 100, 20)
    offset = NumberField(0, HIGHEST_OFFSET, 0)
    since = fields.String(
        validate=validate.Regexp("^[0-9a-f]{16}$", error="is malformed"),
        metadata={
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
            raise InvalidParametersError(*(ParameterFault(name, message, ()) for name in beside))
        return loaded


class NoQuery(StrictQuery):
    """For operations without parameters."""
