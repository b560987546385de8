"""From the text of a file to plain data, each piece with its line.

The data is built from the parser's events, without recursion and without making an object of
anything that the text names: composing nested nodes overflows the stack of PyYAML's parser in C.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

DEEPEST_NESTING = 20
MOST_NODES = 50_000
"""Keys, values and lists in one file; the validator's errors take some kilobytes each."""
_LONGEST_SHOWN = 60

# What YAML 1.1 calls non-printable (section 5.1); the parser refuses it without saying where.
_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The controls that an escape in a quoted text can still bring in; the line feed is text.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,8}")

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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
    """Indicates a file that is not read on; `line` counts from 1."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(slots=True)
class Node:
    """A piece of the file: its line, and its data as JSON would have it.

    `text` is what stands there where it is neither a list nor a mapping, and `kind` how YAML
    reads that. Of a value in a mapping, `line` is the line of its key.
    """

    line: int
    data: Any
    text: str = ""
    kind: str = ""
    inner: "dict[str, Node] | list[Node] | None" = None


def kind_of(text: str) -> str:
    """What YAML 1.1 reads the text as where it stands without quotes."""
    return _KINDS.get(_resolve(yaml.ScalarNode, text, (True, False)), "something else")


def shown(text: str, longest: int = _LONGEST_SHOWN) -> str:
    """The text as it can stand in a message: on one line, of bounded length, all of it visible."""
    clipped = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in clipped
    )


def parsed(text: str) -> Node:
    """The data of the one document in the text.

    Raises:
        FileError: If it is not YAML, or uses of YAML what a catalogue file may not.

    """
    odd = _NOT_IN_YAML.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise FileError(line, f"must not have control characters, has U+{ord(odd.group()):04X}")
    lines = _Lines(text)
    try:
        return _Builder(lines).build(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        line = lines.of(error.problem_mark or error.context_mark)
        begun = line if error.context_mark is None else lines.of(error.context_mark)
        context = "" if begun == line else f", {error.context} that begins on line {begun}"
        message = f"is not valid YAML: {shown(f'{error.problem}{context}', 200)}"
        raise FileError(line, message) from None


class _Lines:
    """Lines as editors count them: YAML's marks also count U+0085, U+2028 and U+2029."""

    def __init__(self, text: str) -> None:
        self._ends = [place.start() for place in re.finditer("\n", text)]
        self._last = len(self._ends) + (not text.endswith("\n"))

    def of(self, mark: Any) -> int:  # noqa: ANN401 - each of the two parsers has its own class
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
            line = self._lines.of(event.start_mark)
            match event:
                case yaml.DocumentStartEvent() if self._root is not None:
                    raise FileError(line, "must have one document only, another begins here")
                case yaml.ScalarEvent():
                    self._place(_scalar(event, line))
                case yaml.SequenceStartEvent():
                    self._start(event, Node(line, [], inner=[]))
                case yaml.MappingStartEvent():
                    self._start(event, Node(line, {}, inner={}))
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    self._keys.pop()
                    self._place(self._open.pop())
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

    def _place(self, node: Node) -> None:
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
    # A few of them can stand for billions of nodes, and a catalogue file needs none.
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
        data = text
    elif kind == "null":
        data = None
    elif kind == "a number" and _WHOLE_NUMBER.fullmatch(text):
        data = int(text)
    else:
        # Whichever it is: no field takes it.
        data = True
    return Node(line, data, text, kind)
