"""The format of a catalogue file as JSON Schema, and its errors in words."""

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import jsonschema_rs

from evref.adapters.outbound.files.nodes import Node, shown

SCHEMA_FILE = resources.files("evref") / "data" / "catalogue-file.schema.json"

Path = tuple[str | int, ...]

# The domain also rejects what these keywords reject, with better messages.
_JUDGED_BY_THE_DOMAIN = {
    *("anyOf", "then", "else", "not", "minimum", "maximum", "minItems", "maxItems"),
    "propertyNames",
}
_TYPES = {
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "integer": "a whole number without quotes, such as 2020",
    "number": "a number without quotes, such as -0.49",
}


def errors(node: Node) -> Iterator[tuple[Path, str]]:
    """Yield the schema's errors in a file: the path to each field, and what is allowed there."""
    for error in _validator().iter_errors(node.data):
        if _JUDGED_BY_THE_DOMAIN.isdisjoint(map(str, error.schema_path)):
            path = tuple(error.instance_path)
            for name, message in _messages(error, at(node, path)):
                yield (*path, *name), message


def at(node: Node, path: Path) -> Node:
    """Return the node at a path, or its nearest existing ancestor."""
    for step in path:
        inner: Any = node.inner
        try:
            node = inner[step]
        except (LookupError, TypeError):
            break
    return node


def _messages(error: jsonschema_rs.ValidationError, node: Node) -> Iterator[tuple[Path, str]]:
    """Yield the messages of an error, each with the name of the field that it is about, if any."""
    value: Any = error.kind.value
    schema = _schema_at(tuple(error.schema_path)[:-1])
    match error.kind.name:
        case "required":
            yield (
                (value,),
                f"is missing; {schema['title']} must have {', '.join(schema['required'])}",
            )
        case "additionalProperties":
            for name in value:
                fields = ", ".join(schema["properties"])
                yield (name,), f"is not a field of {schema['title']}, which has {fields}"
        case "enum":
            yield (), f"must be one of {', '.join(value)}, {_found(node)}"
        case "type":
            yield (), _wrong_type(value, schema, node)
        case "minLength" | "maxLength":
            least, most = schema["minLength"], schema["maxLength"]
            yield (), f"must have {least} to {most} characters, has {len(node.data)}"
        case "uniqueItems":
            yield from _repeated(node)
        case "pattern":
            yield (), f"must be {schema['patternErrorMessage']}, {_found(node)}"
        case _:
            yield (), shown(error.message, 200)


def _wrong_type(types: list[str], schema: dict[str, Any], node: Node) -> str:
    if "string" in types and node.kind not in {"", "null", "text"}:
        found = f"put it in quotes: {_quoted(node.text)} is {node.kind} without them"
        return f"must be text, {found}"
    names = [_TYPES[name] for name in types if name != "null"]
    allowed = names[0]
    if "properties" in schema:
        allowed += f" with the fields {', '.join(schema['properties'])}"
    if "null" in types:
        allowed += " or null"
    return f"must be {allowed}, {_found(node)}"


def _repeated(node: Node) -> Iterator[tuple[Path, str]]:
    reported: set[str] = set()
    seen: set[str] = set()
    for place, item in enumerate(node.inner or ()):
        text = item.text if isinstance(item, Node) else ""
        if text in seen and text not in reported:
            reported.add(text)
            yield (place,), f"must not repeat {shown(text)}"
        seen.add(text)


def _found(node: Node) -> str:
    """Return what the file has instead, as the end of a message."""
    if isinstance(node.inner, list):
        return "but is a list"
    if isinstance(node.inner, dict):
        return "but is a mapping"
    if node.kind == "null":
        return "but is null" if node.text else "but is empty"
    return f"not {_quoted(node.text)}"


def _quoted(text: str) -> str:
    return f'"{shown(text)}"'


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_schema())


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return schema


def _schema_at(path: tuple[str | int, ...]) -> dict[str, Any]:
    found: Any = _schema()
    for step in path:
        found = found[step]
    return found  # type: ignore[no-any-return]
