"""Parses the text of a file into plain data in which each node has its line.

The data is built from the parser's events, which create no object that the text names. Composing
deeply nested nodes would overflow the stack of PyYAML's C parser.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import yaml

from evref.adapters.outbound.codec.records import NUMBER, Unquoted

DEEPEST_NESTING = 20
MOST_NODES = 50_000
"""Limit of keys, values and lists in a file; each error of the validator takes some kilobytes."""
_LONGEST_SHOWN = 60

# Non-printable characters in YAML 1.1 (section 5.1); the parser rejects them without a line.
_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,8}")

LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_resolve: Callable[[type[yaml.Node], str, tuple[bool, bool]], str]
_resolve = yaml.resolver.Resolver().resolve
_NodeEvent: TypeAlias = yaml.ScalarEvent | yaml.CollectionStartEvent
_TEXT, _NULL = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"
_NUMBERS = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}


class FileError(Exception):
    """Indicates a file that cannot be read further; `line` counts from 1."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(slots=True)
class Node:
    """A part of the file: its line, and its data as in JSON.

    `text` is the source text of a scalar. A value in a mapping has the line of its key.
    """

    line: int
    data: Any
    text: str = ""
    inner: "dict[str, Node] | list[Node] | None" = None


def shown(text: str, longest: int = _LONGEST_SHOWN) -> str:
    """Return the text for a message: on one line, shortened, with invisible characters escaped."""
    clipped = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in clipped
    )


def parsed(text: str) -> Node:
    """Return the data of the single document in the text."""
    odd = _NOT_IN_YAML.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise FileError(line, f"must not have control characters, has U+{ord(odd.group()):04X}")
    lines = _Lines(text)
    try:
        return _Reader(lines, yaml.parse(text, Loader=LOADER)).document()
    except yaml.MarkedYAMLError as error:
        line = lines.number(error.problem_mark or error.context_mark)
        begun = line if error.context_mark is None else lines.number(error.context_mark)
        context = "" if begun == line else f", {error.context} that begins on line {begun}"
        message = f"is not valid YAML: {shown(f'{error.problem}{context}', 200)}"
        raise FileError(line, message) from None


class _Lines:
    """Line numbers as in editors: YAML's marks also count U+0085, U+2028 and U+2029."""

    def __init__(self, text: str) -> None:
        self._ends = [place.start() for place in re.finditer("\n", text)]
        self._last = len(self._ends) + (not text.endswith("\n"))

    def number(self, mark: Any) -> int:  # noqa: ANN401 - each of the two parsers has its own class
        return min(bisect_left(self._ends, 0 if mark is None else mark.index) + 1, self._last)


class _Reader:
    def __init__(self, lines: _Lines, events: Iterator[Any]) -> None:
        self._lines = lines
        self._events = events
        self._count = 0

    def document(self) -> Node:
        root = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    line = self._lines.number(event.start_mark)
                    raise FileError(line, "must have one document only, another begins here")
                root = self._node(next(self._events))
        if root is None:
            raise FileError(None, "is empty, must have the fields of a diagnosis")
        return root

    def _node(self, event: _NodeEvent, depth: int = 0) -> Node:
        line = self._lines.number(event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent) and depth == DEEPEST_NESTING:
            raise FileError(line, f"must not be nested deeper than {DEEPEST_NESTING} levels")
        # A few aliases can expand to billions of nodes, and a catalogue file needs none.
        if event.anchor is not None or event.tag is not None:
            message = "anchors (&), aliases (*) and tags (!) are not allowed, write the value out"
            raise FileError(line, message)
        match event:
            case yaml.SequenceStartEvent():
                items = [self._node(item, depth + 1) for item in self._inner()]
                node = Node(line, [item.data for item in items], inner=items)
            case yaml.MappingStartEvent():
                fields: dict[str, Node] = {}
                for key_event in self._inner():
                    key = self._node(key_event, depth + 1)
                    _check_key(key, fields)
                    field = fields[key.text] = self._node(next(self._events), depth + 1)
                    field.line = key.line
                data = {name: field.data for name, field in fields.items()}
                node = Node(line, data, inner=fields)
            case yaml.ScalarEvent():
                node = _scalar(event, line)
        self._count += 1
        if self._count > MOST_NODES:
            raise FileError(line, f"must not have more than {MOST_NODES} keys and values")
        return node

    def _inner(self) -> Iterator[Any]:
        """Yield the events of nodes until the end of the collection."""
        while isinstance(event := next(self._events), yaml.NodeEvent):
            yield event


def _check_key(key: Node, fields: Mapping[str, Node]) -> None:
    if key.inner is not None:
        raise FileError(key.line, "a key must be a plain word, not a list or a mapping")
    if key.text in fields:
        first = fields[key.text].line
        raise FileError(key.line, f"{shown(key.text)}: is given twice, first on line {first}")


def _scalar(event: yaml.ScalarEvent, line: int) -> Node:
    text = event.value.strip()
    tag = _resolve(yaml.ScalarNode, event.value, event.implicit)
    data: object
    if tag == _TEXT:
        data = text
    elif tag == _NULL:
        data = None
    elif tag in _NUMBERS and _WHOLE_NUMBER.fullmatch(text):
        data = int(text)
    elif tag in _NUMBERS and NUMBER.fullmatch(text):
        # 0.80 and 0.8 are the same number, so they have the same digits; 0 avoids an exponent.
        data = Decimal(text).normalize() + 0
    else:
        data = Unquoted(text)
    return Node(line, data, text)
