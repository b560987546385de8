"""Writes the entries of a catalogue to readable files that read back to the same entries."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from evref.adapters.outbound.codec.document import to_document
from evref.adapters.outbound.files.folders import reason, shown_path
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.ports.catalogue import FileFault, InvalidCatalogueError

_WIDTH = 110
_TEXT = "tag:yaml.org,2002:str"
_BLOCKS = {"interventions", "effects"}
"""The lists that are not written on one line."""

# Words separated by single spaces: folding preserves only such text.
_FOLDABLE = re.compile(r"[!-~\u00a1-\u1fff]+( [!-~\u00a1-\u1fff]+)*")
# Text that other YAML parsers, unlike PyYAML, read as a number, a date or a Boolean.
_READS_AS_SOMETHING_ELSE = re.compile(r"[yYnN]|[0-9][0-9A-Fa-foxOX_.,:eE+-]*")

_DUMPER: type[yaml.SafeDumper | yaml.CSafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_files(catalogue: Catalogue, folder: Path) -> None:
    """Write `ID.yaml` for each entry to the folder, which is created if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            message = "is not empty; name a folder that is empty or does not exist"
            raise InvalidCatalogueError([FileFault(shown_path(folder), None, message)])
        for entry in catalogue.entries:
            (folder / f"{entry.diagnosis.id}.yaml").write_bytes(text_of_entry(entry).encode())
    except (OSError, ValueError) as error:
        message = f"cannot be written: {reason(error)}"
        raise InvalidCatalogueError([FileFault(shown_path(folder), None, message)]) from error


def text_of_entry(entry: Entry) -> str:
    text: str = yaml.serialize(
        _node(to_document(entry)), Dumper=_DUMPER, allow_unicode=True, width=_WIDTH
    )
    return text


def _node(value: Any, name: str = "", depth: int = 0) -> yaml.Node:  # noqa: ANN401 - JSON is
    match value:
        case dict():
            pairs = [(_text(key, 0), _node(item, key, depth + 1)) for key, item in value.items()]
            return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=not pairs)
        case list():
            items = [_node(item, depth=depth + 1) for item in value]
            is_inline = name not in _BLOCKS or not items
            return yaml.SequenceNode("tag:yaml.org,2002:seq", items, flow_style=is_inline)
        case Decimal():
            kind = "float" if "." in str(value) else "int"
            return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", str(value))
        case str():
            return _text(value, len(name) + 2 * depth)
        case _:
            kind = {bool: "bool", int: "int"}.get(type(value), "null")
            return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", json.dumps(value))


def _text(text: str, before: int) -> yaml.ScalarNode:
    """Return a node of text: folded if long, quoted if a parser could read it as another type."""
    style = None
    if before + len(text) > _WIDTH and _FOLDABLE.fullmatch(text):
        style = ">"
    elif _READS_AS_SOMETHING_ELSE.fullmatch(text):
        style = '"'
    return yaml.ScalarNode(_TEXT, text, style=style)
