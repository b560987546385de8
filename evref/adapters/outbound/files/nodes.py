"""Parses the text of a file into plain data in which each node has its line.

The data is built from the parser's events, without recursion and without creating any object that
the text names: composing deeply nested nodes overflows the stack of PyYAML's C parser.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from evref.adapters.outbound.codec import NUMBER, Quoted, Unquoted

DEEPEST_NESTING = 20
MOST_NODES = 50_000
"""Limit of keys, values and lists in a file; each error of the validator takes some kilobytes."""
_LONGEST_SHOWN = 60

# Non-printable characters in YAML 1.1 (section 5.1); the parser rejects them without a line.
_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Control characters that an escape in quoted text can still add; the line feed is allowed.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,8}")

LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_resolve: Callable[[type[yaml.Node], str, tuple[bool, bool]], str]
_resolve = yaml.resolver.Resolver().resolve
_KINDS = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:bool": "true or false",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:merge": "merge",
}


class FileError(Exception):
    """Indicates a file that cannot be read further; `line` counts from 1."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(slots=True)
class Node:
    """A part of the file: its line, and its data as in JSON.

    For a scalar, `text` is its source text and `kind` the type that YAML gives it. For a value in
    a mapping, `line` is the line of its key.
    """

    line: int
    data: Any
    text: str = ""
    kind: str = ""
    inner: "dict[str, Node] | list[Node] | None" = None


def kind_of(text: str) -> str:
    """Return the type that YAML 1.1 gives to the text without quotes."""
    return _KINDS.get(_resolve(yaml.ScalarNode, text, (True, False)), "something else")


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
        return _Builder(lines).build(yaml.parse(text, Loader=LOADER))
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


class _Builder:
    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._open: list[Node] = []
        self._keys: list[Node | None] = []
        self._root: Node | None = None
        self._count = 0

    def build(self, events: Iterator[yaml.Event]) -> Node:
        for event in events:
            line = self._lines.number(event.start_mark)
            match event:
                case yaml.DocumentStartEvent() if self._root is not None:
                    raise FileError(line, "must have one document only, another begins here")
                case yaml.ScalarEvent():
                    self._insert(_scalar(event, line))
                case yaml.SequenceStartEvent():
                    self._start(event, Node(line, [], inner=[]))
                case yaml.MappingStartEvent():
                    self._start(event, Node(line, {}, inner={}))
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    self._keys.pop()
                    self._insert(self._open.pop())
                case yaml.AliasEvent():
                    _refuse_anchor(event, line)
                case _:
                    pass
        if self._root is None:
            raise FileError(None, "is empty, must have the fields of a diagnosis")
        return self._root

    def _start(self, event: yaml.CollectionStartEvent, node: Node) -> None:
        if len(self._open) == DEEPEST_NESTING:
            raise FileError(node.line, f"must not be nested deeper than {DEEPEST_NESTING} levels")
        _refuse_anchor(event, node.line)
        _refuse_tag(event.tag, node.line)
        self._open.append(node)
        self._keys.append(None)

    def _insert(self, node: Node) -> None:
        self._count += 1
        if self._count > MOST_NODES:
            raise FileError(node.line, f"must not have more than {MOST_NODES} keys and values")
        if not self._open:
            self._root = node
            return
        parent = self._open[-1]
        key = self._keys[-1]
        if isinstance(parent.inner, list):
            parent.inner.append(node)
            parent.data.append(node.data)
        elif key is None:
            self._keys[-1] = self._key(parent, node)
        elif isinstance(parent.inner, dict):
            self._keys[-1] = None
            node.line = key.line
            parent.inner[key.text] = node
            parent.data[key.text] = node.data

    def _key(self, mapping: Node, node: Node) -> Node:
        if node.inner is not None:
            raise FileError(node.line, "a key must be a plain word, not a list or a mapping")
        if node.kind == "merge":
            raise FileError(node.line, "merge keys (<<) are not allowed, write the fields out")
        if node.text in mapping.data:
            first = mapping.inner[node.text].line  # type: ignore[call-overload, index]
            name = shown(node.text)
            raise FileError(node.line, f"{name}: is given twice, first on line {first}")
        return node


def _refuse_anchor(event: yaml.NodeEvent, line: int) -> None:
    # A few aliases can expand to billions of nodes, and a catalogue file needs none.
    if event.anchor is not None:
        message = "anchors (&) and aliases (*) are not allowed, write the value out"
        raise FileError(line, message)


def _refuse_tag(tag: str | None, line: int) -> None:
    if tag is not None:
        name = shown(tag.replace("tag:yaml.org,2002:", "!!", 1))
        raise FileError(line, f"tags are not allowed, remove {name}")


def _scalar(event: yaml.ScalarEvent, line: int) -> Node:
    _refuse_anchor(event, line)
    _refuse_tag(event.tag, line)
    control = _CONTROL.search(event.value)
    if control is not None:
        name = f"U+{ord(control.group()):04X}"
        raise FileError(line, f"must be text without control characters, has {name}")
    text = event.value.strip()
    kind = kind_of(event.value) if event.implicit[0] else "text"
    data: object
    if kind == "text":
        data = Quoted(text) if NUMBER.fullmatch(text) else text
    elif kind == "null":
        data = None
    elif kind == "a number" and _WHOLE_NUMBER.fullmatch(text):
        data = int(text)
    elif kind == "a number" and NUMBER.fullmatch(text):
        # 0.80 and 0.8 are the same number, so they have the same digits; 0 avoids an exponent.
        data = Decimal(text).normalize() + 0
    else:
        data = Unquoted(text, kind)
    return Node(line, data, text, kind)
