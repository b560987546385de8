"""Query parameters. An unknown or repeated parameter is an error; none is ignored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from apiflask import Schema, fields
from marshmallow import ValidationError, validate

from evref.adapters.inbound.rest.enumerations import value_by_value
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.record_code import RecordCode, RecordIcd10Code, RecordIcd11Code
from evref.domain.errors import InvalidValueError
from evref.domain.redaction import has_key

LONGEST_TEXT = 200
MOST_CODES = 50

# A longer text is not a code, and the error does not repeat it.
_LONGEST_REPEATED = 40


class StrictQuery(Schema):
    """The parameters of one operation; `load` raises `InvalidParametersError` with all faults."""

    def load(self, data: Any, **options: Any) -> Any:
        faults = [
            ParameterFault(name, "is given more than once", ("at most one value",))
            for name in data
            if len(data.getlist(name)) > 1
        ]
        try:
            loaded = super().load(data, **options)
        except ValidationError as error:
            messages = error.messages_dict
            faults += self._faults({name: messages[name] for name in data if name in messages})
        if faults:
            raise InvalidParametersError(tuple(faults))
        return loaded

    def _faults(self, messages: Mapping[str, list[str]]) -> list[ParameterFault]:
        names = tuple(self.fields)
        return [
            ParameterFault(
                name,
                message[0],
                allowed_values(self.fields[name]) if name in self.fields else names,
            )
            if name in self.fields
            else ParameterFault(name, "is not a parameter of this operation", names)
            for name, message in messages.items()
        ]


def allowed_values(field: fields.Field[Any]) -> tuple[str, ...]:
    """Return the allowed values of a parameter, or a description if there are too many."""
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
    """Make a pattern of capital letters match small letters too; JSON Schema has no flag for it.

    `X[A-F0-9]` becomes `[Xx][A-F0-9a-f]`.
    """

    def either(found: re.Match[str]) -> str:
        taken = found[1] or found[2]
        return f"[{taken}{''.join(re.findall('[A-Z](?:-[A-Z])?', taken)).lower()}]"

    return re.sub(r"\[([^]]+)\]|([A-Z])", either, pattern)


class CodesField(fields.Field[Any]):
    """Codes of a classification as written in records, separated by commas."""

    def __init__(self, code: type[RecordCode], description: str, examples: list[str]) -> None:
        self._code = code
        super().__init__(
            metadata={
                "type": "array",
                "items": {"type": "string", "pattern": f"^ *{_in_any_case(code.PATTERN)} *$"},
                "minItems": 1,
                "maxItems": MOST_CODES,
                "description": description,
                "examples": [examples],
                "allowed": [f"1 to {MOST_CODES} codes separated by commas: {code.FORM}"],
            }
        )

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> tuple[RecordCode, ...]:
        # A plus sign that is not percent-encoded arrives as a space.
        given = [each.strip(" ") for each in value.split(",")]
        with_key = has_key(value)
        if len(given) > MOST_CODES:
            raise ValidationError(f"has {len(given)} codes")
        read: list[RecordCode] = []
        malformed: list[str] = []
        for place, text in enumerate(given, start=1):
            try:
                read.append(self._code(text))
            except InvalidValueError:
                malformed.append(_place(text, place) if with_key else _named(text, place))
        if malformed:
            raise ValidationError(f"is malformed: {', '.join(malformed)}")
        return tuple(read)


def _named(text: str, place: int) -> str:
    return f'"{text}"' if 0 < len(text) <= _LONGEST_REPEATED else _place(text, place)


def _place(text: str, place: int) -> str:
    return f"{f'{len(text)} characters' if text else 'nothing'} in place {place}"


# Anchored at both ends and without classes such as \w, which languages define differently, so
# that validators of clients agree with the service.
_WORDS = r"^[\x00-\x20]*[^\x00-\x20][\s\S]*$"


class DiagnosesQuery(StrictQuery):
    """The parameters of `listDiagnoses`, combined with AND.

    `load` returns the codes of both classifications as one tuple, `codes`, in request order.
    """

    icd10 = CodesField(
        RecordIcd10Code,
        f"1 to {MOST_CODES} codes as written in records, separated by commas, in upper or lower "
        "case: codes of WHO's ICD-10 and of its national modifications (such as ICD-10-CM, -GM, "
        "-AM and -CA). They may be longer (`M17.11`, `S72.001A`), omit the dot (`M171`) or have "
        "marks (`G30.1+`, `F00.1*`, `F32.1!`, `M17.-`; encode `+` as `%2B` in a URL). Returns each "
        "diagnosis with a code that equals a requested code or is an ancestor of it: `M17.1` "
        "matches a diagnosis with the code `M17`. Only letters and digits are compared. Below the "
        "third character, a code of a national modification may differ in meaning from the same "
        "code of WHO's ICD-10: check the names of the returned diagnoses. `meta.matches` shows how "
        "each code was read and the diagnoses that it matched.",
        ["M17.11", "S72.001A", "F32.1!"],
    )
    icd11 = CodesField(
        RecordIcd11Code,
        f"1 to {MOST_CODES} codes of ICD-11 MMS, separated by commas, in upper or lower case: stem "
        "codes, or clusters of stem codes (`/`) and extension codes (`&`; encode it as `%26` in a "
        "URL). Returns each diagnosis with a code that equals a requested code or is an ancestor "
        "of it. `meta.matches` shows the diagnoses that each code matched.",
        ["FA01.0&XK8G", "BA00"],
    )
    module = _enumeration(Module, "Returns only diagnoses for which this module is enabled:")
    q = fields.String(
        validate=[
            validate.Length(min=1, max=LONGEST_TEXT),
            validate.Regexp(_WORDS, error="has no word in it"),
        ],
        metadata={
            "description": "Returns only diagnoses whose name contains all of these words, "
            "ignoring case and accents.",
            "examples": ["knee"],
            "allowed": [f"text of 1 to {LONGEST_TEXT} characters with at least one word"],
        },
    )

    def load(self, data: Any, **options: Any) -> Any:
        loaded = super().load(data, **options)
        classifications = [name for name in data if name in {"icd10", "icd11"}]
        loaded["codes"] = tuple(code for name in classifications for code in loaded.pop(name))
        return loaded


class InterventionsQuery(StrictQuery):
    """The parameters of `listInterventions`."""

    module = _enumeration(
        Module,
        "Returns only interventions of this module. The list is empty if the module is not enabled "
        "for the diagnosis:",
    )
    phase = _enumeration(Phase, "Returns only interventions of this phase:")


class NoQuery(StrictQuery):
    """For operations without parameters."""
