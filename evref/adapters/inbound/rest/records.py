"""The resources of the catalogue in JSON: their declared fields and derived fields."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from apiflask import Schema, fields

from evref.adapters.inbound.rest.schema_fields import (
    Record,
    day,
    decimal,
    flag,
    list_of,
    nested,
    number,
    one_of,
    text,
    texts,
)
from evref.domain.catalogue.diagnosis import Diagnosis, Review
from evref.domain.catalogue.effect import Effect, Favours, Interval, Per1000
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Evidence, Reference
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.declaration import Example, Items, Kind, Pattern, Range, Slug, declared
from evref.domain.rules import SLUG, Length


class _Terms(fields.Dict):
    """Names by language, not validated again: the domain has checked each of thousands."""

    def _serialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class WithInterventions:
    """An entry that is rendered with its interventions."""

    entry: Entry


class _OfEntry(Record):
    def get_attribute(self, obj: Entry | WithInterventions, attr: str, default: object) -> Any:
        """Read most fields from the diagnosis of an entry."""
        entry = obj.entry if isinstance(obj, WithInterventions) else obj
        if attr == "interventions":
            return default if obj is entry else entry.visible_interventions()
        return entry.version if attr == "version" else getattr(entry.diagnosis, attr)


_schemas: dict[type, type[Schema]] = {}


def schema_of(
    record: type,
    base: type[Record] = Record,
    *,
    name: str | None = None,
    without: str = "",
    after: str = "",
    **derived: fields.Field[Any],
) -> type[Schema]:
    """Return the schema of a declared record, with fields that are derived from the others.

    These come last, or after the named field. With a name, the docstring of the base describes
    the schema, otherwise that of the record.
    """
    members: dict[str, Any] = {"__module__": __name__}
    for field in declared(record):
        if field.attribute != without:
            members[field.attribute] = _field(field.kind, field.meaning)
        if field.attribute == after:
            members |= derived
    description = base.__doc__ if name else (record.__doc__ or "").partition("\n\n")[0]
    members |= {"__doc__": description} | derived
    made: type[Schema] = type(f"{name or record.__name__}Schema", (base,), members)
    _schemas.setdefault(record, made)
    return made


def _field(kind: Kind, meaning: str) -> fields.Field[Any]:  # noqa: PLR0911 - one a kind
    metadata = limits_of(kind)
    nullable = kind.is_nullable
    if kind.is_list and kind.items[0].type in _schemas:
        return list_of(_schemas[kind.items[0].type], meaning, **metadata)
    if kind.is_list:
        # No uniqueItems: code generators turn such a list into a set, which loses the order.
        return texts(meaning, _item(kind.items[0].type), **metadata)
    if kind.is_mapping:
        return _Terms(
            keys=fields.String(),
            values=fields.List(fields.String()),
            required=True,
            metadata={"description": meaning, **metadata},
        )
    if kind.type in _schemas:
        return nested(_schemas[kind.type], meaning if nullable else None)
    if kind.type is date:
        return day(meaning, **metadata)
    if kind.type is bool:
        return flag(meaning)
    if kind.type is int:
        return number(meaning, nullable=nullable, **metadata)
    if kind.type is Decimal:
        return decimal(meaning, **metadata)
    if issubclass(kind.type, StrEnum):
        return one_of(kind.type, meaning)
    return text(meaning, nullable=nullable, **metadata)


def _item(kind: type) -> fields.Field[Any]:
    if issubclass(kind, StrEnum):
        return fields.Enum(kind, by_value=True, metadata={"type": "string"})
    pattern = getattr(kind, "PATTERN", None)
    return fields.String(metadata={"pattern": f"^{pattern}$"} if pattern else {})


def limits_of(kind: Kind) -> dict[str, Any]:
    """Return the limits and the example of a kind as JSON Schema keywords."""
    limits: dict[str, Any] = {}
    for marker in kind.markers:
        match marker:
            case Length():
                limits |= {"minLength": marker.shortest, "maxLength": marker.longest}
            case Pattern():
                limits["pattern"] = f"^{marker.regex}$"
            case Range():
                limits |= {"minimum": marker.least, "maximum": marker.most}
            case Example():
                limits["examples"] = [marker.value]
            case Items():
                limits |= {"minItems": marker.least or None, "maxItems": marker.most}
        if isinstance(marker, Slug):
            limits["pattern"] = f"^{SLUG}$"
    return {name: limit for name, limit in limits.items() if limit is not None}


schema_of(Review)
schema_of(FittVp)
schema_of(Evidence)
schema_of(
    Reference,
    without="given_url",
    url=text(
        "The address of the publication. Always present: if the catalogue has none, the address is "
        "derived from the DOI, or else from the PubMed id.",
        format="uri",
        examples=["https://doi.org/10.1002/art.41142"],
    ),
)
schema_of(Interval)
schema_of(Per1000)
schema_of(
    Effect,
    after="better",
    favours=one_of(
        Favours,
        "Which side the effect favours; neither if the interval contains the value of no effect "
        "(1 for ratios, 0 for differences) or is null.",
    ),
)
InterventionSchema = schema_of(Intervention)
DiagnosisSchema = schema_of(
    Diagnosis,
    _OfEntry,
    without="finer_codes",
    version=text(
        "Changes if and only if the diagnosis or any of its interventions changes. Fetch only the "
        "diagnoses whose version changed.",
        pattern="^[0-9a-f]{16}$",
        examples=["0123456789abcdef"],
    ),
    interventions=fields.List(
        fields.Nested(InterventionSchema),
        metadata={
            "description": "All visible interventions, as listInterventions returns them. Present "
            "only with include=interventions."
        },
    ),
)
