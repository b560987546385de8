"""Generates the JSON Schema and the field tables of catalogue files from the records.

This module adds what a declaration cannot say: rules that join fields, and the values that files
write in another form than the API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import evref
from evref.adapters.inbound.rest.records import limits_of, value_by_value
from evref.domain.catalogue.diagnosis import RESERVED_IDS, Diagnosis, Module, Review
from evref.domain.catalogue.effect import Effect, Measure
from evref.domain.catalogue.evidence import Direction, Evidence, Recommendation, Reference
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.catalogue.vocabulary import description
from evref.domain.declaration import Field, Items, Kind, Pattern, Prose, Range, Slug, declared
from evref.domain.rules import Length

SCHEMA = Path(evref.__file__).parent / "data" / "catalogue-file.schema.json"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "catalogue-format.md"

_TABLE = re.compile(r"<!-- fields of (\w+) -->\n.*?\n\n", re.DOTALL)
TABLES = {
    record.__name__: record
    for record in (Diagnosis, Review, Intervention, FittVp, Evidence, Effect, Reference)
}
_DATE = {
    "type": "string",
    "format": "date",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "patternErrorMessage": 'a date (year, month and day) in quotes, such as "2026-11-21"',
}
_TEXT = {"type": "string"}


def schema() -> dict[str, Any]:
    """Return the schema of a file: JSON Schema, draft 2020-12."""
    intervention = _object(Intervention)
    diagnosis = _object(
        Diagnosis,
        interventions={"type": "array", "items": intervention},
        references={"type": "object", "additionalProperties": _object(Reference)},
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "A catalogue file of the Evidence Reference Service: one diagnosis with its "
        "interventions and their references.",
        **diagnosis,
    }


def _object(record: type, **others: dict[str, Any]) -> dict[str, Any]:
    fields = [field for field in declared(record) if field.name is not None]
    properties: dict[str, Any] = {
        str(field.name): {"description": _meaning(record, field), **_schema_of_field(record, field)}
        for field in fields
    }
    properties |= others
    optional = {field.name for field in fields if field.is_optional}
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
        "properties": properties,
        **_joint_rules(record, properties),
    }


def _schema_of_field(record: type, field: Field) -> dict[str, Any]:
    if (record, field.name) == (Intervention, "references"):
        return {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
    return _TEXT if (record, field.name) == (Effect, "reference") else _schema_of(field.kind)


def _schema_of(kind: Kind) -> dict[str, Any]:
    schema = _schema_of_value(kind)
    schema |= {name: limit for name, limit in limits_of(kind).items() if name != "examples"}
    if not kind.is_nullable:
        return schema
    return {**schema, "type": [schema["type"], "null"]}


def _schema_of_value(kind: Kind) -> dict[str, Any]:
    if kind.is_record:
        return _object(kind.type)
    if kind.is_list:
        items = kind.marker(Items)
        return {
            "type": "array",
            "items": _schema_of(kind.items[0]),
            **({} if items is None or items.may_repeat else {"uniqueItems": True}),
        }
    if kind.is_pair:
        ends = declared(kind.type)
        item = _schema_of(ends[0].kind)
        return {"type": "array", "items": item, "minItems": len(ends), "maxItems": len(ends)}
    if kind.is_mapping:
        return _mapping(*kind.items)
    if isinstance(kind.type, type) and issubclass(kind.type, StrEnum):
        text = value_by_value(kind.type, description(kind.type))
        return {"description": text, "type": "string", "enum": [*kind.type]}
    return _scalar(kind)


def _mapping(keys: Kind, values: Kind) -> dict[str, Any]:
    if keys.type is CodeList:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {code_list.value: _prefixes(code_list) for code_list in CodeList},
        }
    pattern = limits_of(keys)["pattern"]
    return {
        "type": "object",
        "propertyNames": {"pattern": pattern},
        "additionalProperties": _schema_of(values),
    }


def _prefixes(code_list: CodeList) -> dict[str, Any]:
    schema = _object(FinerCodes)
    for prefixes in schema["properties"].values():
        prefixes["items"]["pattern"] = f"^{code_list.prefix_pattern}$"
    return schema


def _scalar(kind: Kind) -> dict[str, Any]:
    pattern = kind.marker(Pattern)
    message = {} if pattern is None else {"patternErrorMessage": pattern.form}
    if kind.type is str:
        return {**_TEXT, **message}
    types = {int: "integer", bool: "boolean", Decimal: "number"}
    return {"type": types[kind.type]} if kind.type in types else dict(_DATE)


def _meaning(record: type, field: Field) -> str:
    if (record, field.name) == (Effect, "reference"):
        return "The key of the reference of the intervention that reports these figures."
    if (record, field.name) == (Intervention, "references"):
        return "The keys of the references that support it."
    return field.meaning


def _if(name: str, values: Iterable[str], then: dict[str, Any], **otherwise: Any) -> dict[str, Any]:
    return {
        "if": {"properties": {name: {"enum": [*values]}}, "required": [name]},
        "then": {"properties": then},
        **({"else": {"properties": otherwise}} if otherwise else {}),
    }


def _joint_rules(record: type, properties: dict[str, Any]) -> dict[str, Any]:
    """Return the rules of a record that join fields, as far as JSON Schema can say them."""
    if record is Diagnosis:
        properties["id"]["not"] = {"enum": [*RESERVED_IDS]}
        properties["references"]["description"] = (
            "The references that the interventions cite, by keys that are valid only in this file, "
            "such as kolasinski-2020. Each must be cited."
        )
    if record is Intervention:
        rule = _if("module", [Module.FITT_VIP], {"fitt_vp": {"type": "object"}})
        rule["then"]["required"] = ["fitt_vp"]
        return rule | {"else": {"properties": {"fitt_vp": {"type": "null"}}}}
    if record is Evidence:
        implied = {
            Direction.FOR: (Recommendation.STRONG_FOR, Recommendation.CONDITIONAL_FOR),
            Direction.AGAINST: (Recommendation.STRONG_AGAINST, Recommendation.CONDITIONAL_AGAINST),
        }
        return {
            "allOf": [
                _if("recommendation", values, {"direction": {"const": direction}})
                for direction, values in implied.items()
            ]
        }
    if record is Effect:
        above_0 = {"exclusiveMinimum": 0}
        with_unit = [measure for measure in Measure if measure.has_unit]
        ratios = [measure for measure in Measure if measure.is_ratio]
        return {
            "allOf": [
                _if("measure", with_unit, {"unit": {"type": "string"}}, unit={"type": "null"}),
                _if("measure", ratios, {"estimate": above_0, "interval": {"items": above_0}}),
            ]
        }
    if record is Reference:
        return {
            "anyOf": [
                {"required": [name], "properties": {name: _TEXT}} for name in ("doi", "pmid", "url")
            ]
        }
    return {}


def page(text: str) -> str:
    """Return the page of the format with new tables of fields."""
    return _TABLE.sub(lambda match: f"{_table(match[1])}\n\n", text)


def _table(name: str) -> str:
    record = TABLES[name]
    rows = [
        f"| `{field.name}` | {_allowed(record, field)} | {_meaning(record, field)} |"
        for field in declared(record)
        if field.name is not None
    ]
    head = ["| field | value | meaning |", "|---|---|---|"]
    return "\n".join([f"<!-- fields of {name} -->", *head, *rows])


def _allowed(record: type, field: Field) -> str:
    if (record, field.name) in {(Effect, "reference"), (Intervention, "references")}:
        allowed = "a key" if record is Effect else "a list of keys, at least one item"
    else:
        allowed = _words(field.kind)
    null = " or `null`" if field.kind.is_nullable else ""
    return f"{'optional; ' if field.is_optional else ''}{allowed}{null}"


def _words(kind: Kind) -> str:
    if kind.is_list:
        items = kind.marker(Items)
        number = "" if items is None or items == Items() else f", {items}"
        return f"a list of {_plural(kind.items[0])}{number}"
    if kind.is_mapping:
        return "a mapping of languages to names" if kind.items[0].type is str else "see below"
    if kind.is_record:
        return "see below"
    if kind.is_pair:
        return "a list of two numbers, the lower end first"
    if isinstance(kind.type, type) and issubclass(kind.type, StrEnum):
        return " ".join(f"`{value}`" for value in kind.type)
    nouns = {
        str: "text",
        int: "a whole number",
        bool: "`true` or `false`",
        Decimal: "a number",
        date: "a date",
    }
    limit = next(filter(None, map(_limit, kind.markers)), "")
    return limit if limit.startswith("a") else f"{nouns[kind.type]} {limit}".rstrip()


def _plural(kind: Kind) -> str:
    if kind.type is str:
        return "texts" if kind.marker(Pattern) is None else "codes"
    return f"{kind.type.__name__.lower()}s"


def _limit(marker: object) -> str:
    match marker:
        case Slug():
            return f"a slug of {marker.shortest} to {marker.longest} characters"
        case Length():
            line = "" if isinstance(marker, Prose) else " on one line"
            return f"of {marker.shortest} to {marker.longest} characters{line}"
        case Pattern():
            return marker.form
        case Range():
            return str(marker)
    return ""


def schema_text() -> str:
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def write() -> None:
    """Write the schema and the tables."""
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
