"""Query parameters, strictly: what is not known, or said twice, is refused and never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from apiflask import Schema, fields
from marshmallow import ValidationError, validate

from evref.adapters.inbound.http.problems import InvalidParametersError, ParameterFault
from evref.domain.diagnosis import Module
from evref.domain.errors import InvalidValueError
from evref.domain.icd import Icd10Code, Icd11Code
from evref.domain.intervention import Phase

LONGEST_TEXT = 200


class StrictQuery(Schema):
    """The parameters of one operation; loading raises `InvalidParametersError` with all faults."""

    def load(self, data: Any, **options: Any) -> Any:
        faults = [
            ParameterFault(name, "is given more than once", ("at most one value",))
            for name in data
            if len(data.getlist(name)) > 1
        ]
        try:
            loaded = super().load(data, **options)
        except ValidationError as error:
            faults += self._faults(error.messages_dict)
        if faults:
            raise InvalidParametersError(tuple(faults))
        return loaded

    def _faults(self, messages: Mapping[str, list[str]]) -> list[ParameterFault]:
        names = tuple(self.fields)
        return [
            ParameterFault(
                name,
                " ".join(message),
                allowed_values(self.fields[name]) if name in self.fields else names,
            )
            if name in self.fields
            else ParameterFault(name, "is not a parameter of this operation", names)
            for name, message in messages.items()
        ]


def allowed_values(field: fields.Field[Any]) -> tuple[str, ...]:
    """What a parameter takes: the values, or words where there are too many to list."""
    allowed = field.metadata["allowed"]
    return tuple(allowed)


def _enumeration(kind: type[StrEnum], description: str) -> fields.Enum[Any]:
    values = [member.value for member in kind]
    return fields.Enum(
        kind,
        by_value=True,
        error_messages={"unknown": "is not one of the allowed values"},
        metadata={"type": "string", "description": description, "allowed": values},
    )


class _Code(Protocol):
    FORM: str

    @classmethod
    def parse(cls, text: str) -> object: ...


class CodeField(fields.Field[Any]):
    """A code of a classification, in any case."""

    def __init__(self, code: type[_Code], **options: Any) -> None:
        self._code = code
        super().__init__(**options)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> object:
        try:
            return self._code.parse(value)
        except InvalidValueError as error:
            raise ValidationError("is not well-formed") from error


def _has_a_letter_or_digit(text: str) -> None:
    if not any(character.isalnum() for character in text):
        raise ValidationError("has no word in it")


class DiagnosesQuery(StrictQuery):
    """The parameters of `listDiagnoses`, combined with AND."""

    icd10 = CodeField(
        Icd10Code,
        metadata={
            "description": "A WHO ICD-10 code, in any case. Finds the diagnoses of which one code "
            "equals it or is an ancestor of it: a record coded M17.1 finds the diagnosis coded "
            "M17.",
            "type": "string",
            "examples": ["M17.1"],
            "allowed": [Icd10Code.FORM],
        },
    )
    icd11 = CodeField(
        Icd11Code,
        metadata={
            "description": "An ICD-11 MMS code, in any case: a stem code, or a cluster (encode & "
            "as %26). Finds the diagnoses of which one code equals it or is an ancestor of it.",
            "type": "string",
            "examples": ["FA01.0"],
            "allowed": [Icd11Code.FORM],
        },
    )
    module = _enumeration(Module, "Only diagnoses for which this module is enabled.")
    q = fields.String(
        validate=[validate.Length(min=1, max=LONGEST_TEXT), _has_a_letter_or_digit],
        metadata={
            "description": "Words that are all found in the name, ignoring case and accents.",
            "examples": ["knee"],
            "allowed": [f"text of 1 to {LONGEST_TEXT} characters with at least one word"],
        },
    )


class InterventionsQuery(StrictQuery):
    """The parameters of `listInterventions`."""

    module = _enumeration(
        Module,
        "Only interventions of this module. A module that is not enabled for the diagnosis gives "
        "an empty list.",
    )
    phase = _enumeration(Phase, "Only interventions of this phase.")


class NoQuery(StrictQuery):
    """For operations that take no parameters."""
