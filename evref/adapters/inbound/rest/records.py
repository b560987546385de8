"""Records in JSON, and their JSON Schema; both are derived from the declarations of the records.

A dictionary in a declaration has keywords of JSON Schema.
"""

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.effect import Effect, Favours
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup, Evidence, Reference
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.vocabulary import ENUMERATIONS, MEANINGS, description
from evref.domain.declaration import (
    Declared,
    Example,
    Field,
    Items,
    Kind,
    Pattern,
    Range,
    Slug,
    declared,
)
from evref.domain.rules import SLUG, Length

_ABSENT: Any = object()


@dataclass(frozen=True, slots=True)
class Read:
    """Where the value of a field is, if not in the attribute of its name: a path with dots."""

    path: str


@dataclass(frozen=True, slots=True)
class Extension:
    """How the API shows a record of the domain.

    It shows the fields of `base`, which are in the attribute `within` of a value, `without` one of
    them, and those that the class `added` declares, at the end or `after` one of them.
    """

    base: type
    added: type = object
    within: str = ""
    without: str = ""
    after: str = ""


class _OfEvidence:
    group: Annotated[
        CardGroup,
        "The group of the card, from recommendation and direction. It alone tells advice against "
        "from what the sources find without benefit, or harmful, without a recommendation.",
    ]


class _OfReference:
    url: Annotated[
        str,
        "The address of the publication. Always present: if the catalogue has none, the address is "
        "derived from the DOI, or else from the PubMed id.",
        {"format": "uri"},
        Example("https://doi.org/10.1002/art.41142"),
    ]


class _OfEffect:
    favours: Annotated[
        Favours,
        "Which side the effect favours, the intervention or the comparison, computed from estimate "
        "and better; neither if the interval contains the value of no effect (1 for "
        "ratios, 0 for differences) or is null.",
    ]


@dataclass
class _OfEntry:
    version: Annotated[
        str,
        "The version of this diagnosis: changes if and only if it or any of its interventions "
        "changes. Fetch only the diagnoses whose version changed. The version of the whole "
        "catalogue is meta.catalogue_version.",
        Pattern("[0-9a-f]{16}", "16 hexadecimal digits", longest=16),
        Example("0123456789abcdef"),
    ]
    interventions: Annotated[
        tuple[Intervention, ...],
        "All visible interventions, as listInterventions returns them. Present only with "
        "include=interventions.",
        Read("included"),
    ] = ()


EXTENSIONS: dict[type, Extension] = {
    Evidence: Extension(Evidence, _OfEvidence),
    Reference: Extension(Reference, _OfReference, without="given_url"),
    Effect: Extension(Effect, _OfEffect, after="better"),
    Diagnosis: Extension(Diagnosis, _OfEntry, within="diagnosis.", without="finer_codes"),
}


def with_interventions(entry: Entry) -> dict[str, Any]:
    shown = entry.visible_interventions()
    return {"diagnosis": entry.diagnosis, "version": entry.version, "included": shown}


def _members(record: type) -> list[tuple[str, str, Field]]:
    """Return the fields that the API shows: the name, the path to the value, the declaration."""
    extension = EXTENSIONS.get(record, Extension(record))
    shown_fields = declared(extension.base)
    if issubclass(extension.base, Declared):
        # A field of a stored record may be absent from a file, and have another name there.
        shown_fields = tuple(replace(field, default=None, name=None) for field in shown_fields)
    shown = [
        _member(field, extension.within)
        for field in shown_fields
        if field.attribute != extension.without
    ]
    names = [name for name, *_ in shown]
    index = names.index(extension.after) + 1 if extension.after else len(shown)
    shown[index:index] = map(_member, declared(extension.added))
    return shown


def _member(field: Field, within: str = "") -> tuple[str, str, Field]:
    read = field.kind.marker(Read)
    path = field.attribute if read is None else read.path
    return field.name or field.attribute, within + path, field


@cache
def renderer(record: type) -> Callable[[Any], dict[str, Any]]:
    """Return the function that converts an object or a dictionary to JSON.

    An optional field that the value lacks is left out.
    """
    parts = [
        (name, path.split("."), _converter(field.kind), field.is_optional)
        for name, path, field in _members(record)
    ]

    def render(value: Any) -> dict[str, Any]:
        shown = {}
        for name, path, convert, is_optional in parts:
            part = value
            for step in path:
                part = _step(part, step)
            if part is not _ABSENT:
                shown[name] = part if convert is None or part is None else convert(part)
            elif not is_optional:
                raise AttributeError(f"{record.__name__} lacks {name}")
        return shown

    return render


def _step(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name, _ABSENT)
    return getattr(value, name, _ABSENT)


def _converter(kind: Kind) -> Callable[[Any], Any] | None:
    """Return the function that converts a value; None for one that is JSON already."""
    if kind.is_list:
        convert = _converter(kind.items[0])
        return list if convert is None else lambda values: [*map(convert, values)]
    if kind.is_mapping:
        return dict
    if kind.type is Decimal:
        return float
    if issubclass(kind.type, date):
        return date.isoformat if kind.type is date else datetime.isoformat
    if issubclass(kind.type, str | int):
        return None
    return renderer(kind.type) if _is_record(kind.type) else str


def _is_record(kind: type) -> bool:
    # A code is a record too, but is shown as its text.
    return (is_dataclass(kind) or kind in EXTENSIONS or issubclass(kind, tuple)) and not hasattr(
        kind, "PATTERN"
    )


class Schemas:
    """JSON Schemas of records; `components` has the schema of each that another one refers to."""

    def __init__(self) -> None:
        self.components: dict[str, dict[str, Any]] = {}

    def reference(self, kind: type) -> dict[str, Any]:
        if kind.__name__ not in self.components:
            self.components[kind.__name__] = {}  # a place before those that it refers to
            of = self._enumeration if issubclass(kind, StrEnum) else self._record
            self.components[kind.__name__] |= of(kind)
        return {"$ref": f"#/components/schemas/{kind.__name__}"}

    def _enumeration(self, kind: type[StrEnum]) -> dict[str, Any]:
        described = value_by_value(kind, description(kind))
        return {"type": "string", "enum": list(kind), "description": described}

    def _record(self, record: type) -> dict[str, Any]:
        members = _members(record)
        schema = {
            "type": "object",
            "properties": {name: self._field(field) for name, _, field in members},
            "required": [name for name, _, field in members if not field.is_optional],
        }
        # Without docstrings (python -OO), a dataclass describes itself in Python.
        docstring = (record.__doc__ or "").partition("\n\n")[0]
        if not docstring.startswith(f"{record.__name__}("):
            schema["description"] = " ".join(docstring.split())
        return schema

    def example(self, record: type) -> dict[str, Any]:
        """Return an object of the examples of its fields."""
        return {name: self._example(field.kind) for name, _, field in _members(record)}

    def _example(self, kind: Kind) -> Any:
        example = kind.marker(Example)
        if example is not None:
            return example.value
        if kind.is_list:
            return [self._example(kind.items[0])]
        return self.example(kind.type)

    def _field(self, field: Field) -> dict[str, Any]:
        schema = self.schema(field.kind)
        return schema | {"description": field.meaning} if field.meaning else schema

    def schema(self, kind: Kind) -> dict[str, Any]:
        schema = limits_of(kind)
        if kind.is_list:
            # No uniqueItems: code generators turn such a list into a set, which loses the order.
            return {"type": "array", "items": self.schema(kind.items[0])} | schema
        if kind.is_mapping:
            return {"type": "object", "additionalProperties": self.schema(kind.items[1])} | schema
        if _is_record(kind.type) or kind.type in ENUMERATIONS:
            reference = self.reference(kind.type)
            return _or_null(reference) if kind.is_nullable else reference
        of_type = next(keywords for known, keywords in _TYPES if issubclass(kind.type, known))
        schema = of_type | schema
        if issubclass(kind.type, StrEnum):
            schema["enum"] = list(kind.type)
        if kind.is_nullable and "enum" in schema:
            return _or_null(schema)
        return schema | {"type": [schema["type"], "null"]} if kind.is_nullable else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    # Not the type `null`, which OpenAPI 3.0 and converters to it do not know. And null is not one
    # value of an enumeration of texts, which openapi-zod-client cannot type.
    return {"anyOf": [schema, {"type": ["string", "null"], "enum": [None]}]}


_TYPES: list[tuple[Any, dict[str, Any]]] = [
    (bool, {"type": "boolean"}),
    (int, {"type": "integer", "format": "int32"}),
    (Decimal, {"type": "number"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (object, {"type": "string"}),  # text, and what is shown as its text
]


def value_by_value(kind: type[StrEnum], introduction: str) -> str:
    """Return the introduction and a list of the values with their meanings, in CommonMark."""
    return "\n".join([introduction, "", *(f"- `{value}`: {MEANINGS[value]}" for value in kind)])


def limits_of(kind: Kind) -> dict[str, Any]:
    """Return the limits and the example of a kind as JSON Schema keywords."""
    limits: dict[str, Any] = {}
    for marker in kind.markers:
        if isinstance(marker, Slug):
            limits["pattern"] = f"^{SLUG}$"
        limits |= _keywords(marker)
    return {name: limit for name, limit in limits.items() if limit is not None}


def _keywords(marker: object) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    match marker:
        case Length(shortest, longest):
            keywords = {"minLength": shortest, "maxLength": longest}
        case Pattern(regex, longest=longest):
            keywords = {"pattern": f"^{regex}$", "maxLength": longest}
        case Range(least, most):
            keywords = {"minimum": least, "maximum": most}
        case Items(least, most):
            keywords = {"minItems": least or None, "maxItems": most}
        case Example(value):
            keywords = {"examples": [value]}
        case dict():
            keywords = marker
    return keywords
