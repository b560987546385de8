"""Query parameters, strictly: what is not known, or said twice, is refused and never ignored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

from apiflask import Schema, fields
from marshmallow import ValidationError, validate

from evref.adapters.inbound.rest.enumerations import value_by_value
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import Phase
from evref.domain.errors import InvalidValueError

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
        metadata={
            "type": "string",
            "description": value_by_value(kind, description),
            "allowed": values,
        },
    )


def _in_any_case(pattern: str) -> str:
    """A pattern of capital letters that takes small ones as well: JSON Schema has no flag for it.

    From `X[A-F0-9]` comes `[Xx][A-F0-9a-f]`.
    """

    def either(found: re.Match[str]) -> str:
        capitals = found[1] or found[2]
        return f"[{capitals}{re.sub('[0-9]-[0-9]', '', capitals).lower()}]"

    return re.sub(r"\[([^]]+)\]|([A-Z])", either, pattern)


class _Code(Protocol):
    FORM: str
    PATTERN: str

    @classmethod
    def parse(cls, text: str) -> object: ...


class CodeField(fields.Field[Any]):
    """A code of a classification, in any case."""

    def __init__(self, code: type[_Code], description: str, example: str) -> None:
        self._code = code
        super().__init__(
            metadata={
                "type": "string",
                "description": description,
                "pattern": f"^{_in_any_case(code.PATTERN)}$",
                "examples": [example],
                "allowed": [code.FORM],
            }
        )

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> object:
        try:
            return self._code.parse(value)
        except InvalidValueError as error:
            raise ValidationError("is not well-formed") from error


# Anchored at both ends, and with no class that regular expressions of different languages define
# differently: validators of clients then judge as the service does.
_WORDS = r"^[\x00-\x20]*[^\x00-\x20][\s\S]*$"


class DiagnosesQuery(StrictQuery):
    """The parameters of `listDiagnoses`, combined with AND."""

    icd10 = CodeField(
        Icd10Code,
        "A WHO ICD-10 code, in any case. Finds the diagnoses of which one code equals it or is an "
        "ancestor of it: a record coded `M17.1` finds the diagnosis coded `M17`.",
        "M17.1",
    )
    icd11 = CodeField(
        Icd11Code,
        "An ICD-11 MMS code, in any case: a stem code, or a cluster of stem codes (`/`) and "
        "extension codes (`&`, which in an address is `%26`). Finds the diagnoses of which one "
        "code equals it or is an ancestor of it.",
        "FA01.0",
    )
    module = _enumeration(Module, "Only diagnoses for which this module is enabled:")
    q = fields.String(
        validate=[
            validate.Length(min=1, max=LONGEST_TEXT),
            validate.Regexp(_WORDS, error="has no word in it"),
        ],
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
        "Only interventions of this module; one that is not enabled for the diagnosis gives an "
        "empty list:",
    )
    phase = _enumeration(Phase, "Only interventions of this phase:")


class NoQuery(StrictQuery):
    """For operations that take no parameters."""
