"""From the text of a file to a tree of scalars, sequences and mappings, with their lines.

The tree is built from the parser's events, without recursion and without ever making an object
of what the text names. What YAML allows and a catalogue file does not is told as a fault here.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import yaml

from evref.adapters.outbound.yaml.faults import Faults, shown

DEEPEST_NESTING = 20
MOST_ALIASED = 50_000
"""Nodes that the aliases of one file may stand for; long text counts one each 20 characters."""

_CHARACTERS_A_NODE = 20

# What YAML 1.1 calls non-printable (section 5.1); both parsers refuse it, without saying where.
_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The controls that an escape in a quoted text can still bring in; the line feed is text.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_resolve: Callable[[type[yaml.Node], str, tuple[bool, bool]], str]
_resolve = yaml.resolver.Resolver().resolve
_TEXT_TAG = "tag:yaml.org,2002:str"
_SEQUENCE_TAG = "tag:yaml.org,2002:seq"
_MAPPING_TAG = "tag:yaml.org,2002:map"
_KINDS = {
    _TEXT_TAG: "text",
    "tag:yaml.org,2002:null": "null",
    "tag:yaml.org,2002:bool": "true or false",
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
}


@dataclass(slots=True)
class Scalar:
    """A piece of text; `plain` where it stands without quotes and is no block."""

    line: int
    text: str
    plain: bool

    @property
    def size(self) -> int:
        return 1 + len(self.text) // _CHARACTERS_A_NODE

    @property
    def kind(self) -> str:
        """What YAML reads it as: `text`, `null`, `true or false`, `a number` or `a date`."""
        return kind_of(self.text) if self.plain else "text"


@dataclass(slots=True)
class Broken:
    """Stands where a node was refused and the fault told; nothing more is to be said of it."""

    line: int
    size: int = 1


@dataclass(slots=True)
class Sequence:
    """A list; `size` counts the nodes in it, and is 0 until it is read to its end."""

    line: int
    items: list["Node"] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True)
class Mapping:
    """Fields by key, in the order of the file; `size` as in `Sequence`.

    It is whole unless a key in it was refused, and with it what might have been a field.
    """

    line: int
    fields: dict[str, "Field"] = field(default_factory=dict)
    is_whole: bool = True
    size: int = 0


@dataclass(slots=True)
class Field:
    """A value in a mapping, with the line of its key."""

    line: int
    value: "Node"


Node = Scalar | Broken | Sequence | Mapping


def kind_of(text: str) -> str:
    """What YAML 1.1 reads the text as where it stands without quotes: a `Scalar.kind`."""
    return _KINDS.get(_resolve(yaml.ScalarNode, text, (True, False)), "something else")


def document(text: str, faults: Faults) -> Node | None:
    """The tree of the one document in the text; None, with a fault, where there is none."""
    odd = _NOT_IN_YAML.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        faults.add(line, f"must not have control characters, has U+{ord(odd.group()):04X}")
        return None
    composer = _Composer(text, faults)
    try:
        return composer.compose()
    except _GivenUpError:
        return None
    except yaml.MarkedYAMLError as error:
        faults.add(*composer.syntax_fault(error))
        return None


class _GivenUpError(Exception):
    """Indicates a text that is not worth reading on, its fault being told."""


@dataclass(slots=True)
class _Open:
    """A sequence or mapping that is being read, and the key whose value comes next."""

    node: Sequence | Mapping
    anchor: str | None
    is_refused: bool
    awaits_key: bool
    key: Scalar | None = None
    size: int = 1


class _Mark(Protocol):
    """A place in the text, as both parsers tell it: the characters before it."""

    index: int


class _Composer:
    def __init__(self, text: str, faults: Faults) -> None:
        self._text = text
        self._faults = faults
        # Lines as editors count them: YAML's marks also count U+0085, U+2028 and U+2029.
        self._line_ends = [place.start() for place in re.finditer("\n", text)]
        self._last_line = len(self._line_ends) + (not text.endswith("\n"))
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._aliased = 0
        self._root: Node | None = None
        self._on_event: dict[type[yaml.Event], Callable[..., None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def compose(self) -> Node | None:
        for event in yaml.parse(self._text, Loader=_LOADER):
            handle = self._on_event.get(type(event))
            if handle is not None:
                handle(event)
        if self._root is None:
            self._faults.add(None, "is empty, must be a mapping with the fields of a diagnosis")
        return self._root

    def syntax_fault(self, error: yaml.MarkedYAMLError) -> tuple[int, str]:
        """The line where the parser stopped and what it says, with where it began if elsewhere."""
        line = self.line(error.problem_mark or error.context_mark)
        begun = line if error.context_mark is None else self.line(error.context_mark)
        context = "" if begun == line else f", {error.context} that begins on line {begun}"
        return line, f"is no valid YAML: {shown(f'{error.problem}{context}', 200)}"

    def line(self, mark: _Mark | None) -> int:
        index = 0 if mark is None else mark.index
        return min(bisect_left(self._line_ends, index) + 1, self._last_line)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        if self._root is not None:
            line = self.line(event.start_mark)
            self._faults.add(line, "must have one document only, another begins here")
            raise _GivenUpError

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        line = self.line(event.start_mark)
        node: Node = Scalar(line, event.value, plain=event.implicit[0])
        if event.tag is not None:
            self._refuse_tag(line, event.tag)
            node = Broken(line)
        else:
            control = _CONTROL.search(event.value)
            if control is not None:
                name = f"U+{ord(control.group()):04X}"
                self._faults.add(line, f"must be text without control characters, has {name}")
                node = Broken(line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._place(node)

    def _start(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        line = self.line(event.start_mark)
        if len(self._open) == DEEPEST_NESTING:
            self._faults.add(line, f"must not be nested deeper than {DEEPEST_NESTING} levels")
            raise _GivenUpError
        if event.tag is not None:
            self._refuse_tag(line, event.tag)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        node = Mapping(line) if is_mapping else Sequence(line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        # A tag that only says what YAML sees anyway is no reason to leave the content unjudged.
        is_refused = event.tag not in {None, _SEQUENCE_TAG, _MAPPING_TAG}
        self._open.append(_Open(node, event.anchor, is_refused, awaits_key=is_mapping))

    def _end(self, _event: yaml.SequenceEndEvent | yaml.MappingEndEvent) -> None:
        ended = self._open.pop()
        ended.node.size = ended.size
        if ended.is_refused:
            broken = Broken(ended.node.line, size=ended.size)
            if ended.anchor is not None:
                self._anchors[ended.anchor] = broken
            self._place(broken)
        else:
            self._place(ended.node)

    def _alias(self, event: yaml.AliasEvent) -> None:
        line = self.line(event.start_mark)
        name = event.anchor or ""
        node = self._anchors.get(name)
        if node is None:
            self._faults.add(line, f"the alias *{shown(name)} has no anchor before it")
            node = Broken(line)
        elif node.size == 0:
            self._faults.add(line, f"the alias *{shown(name)} stands within its own anchor")
            node = Broken(line)
        self._aliased += node.size
        if self._aliased > MOST_ALIASED:
            self._faults.add(line, f"aliases must not stand for more than {MOST_ALIASED} nodes")
            raise _GivenUpError
        self._place(node)

    def _place(self, node: Node) -> None:
        if not self._open:
            self._root = node
            return
        parent = self._open[-1]
        parent.size += node.size
        if isinstance(parent.node, Sequence):
            parent.node.items.append(node)
        elif parent.awaits_key:
            parent.key = self._key(parent.node, node)
            parent.awaits_key = False
        else:
            if parent.key is not None:
                parent.node.fields[parent.key.text] = Field(parent.key.line, node)
            parent.awaits_key = True

    def _key(self, mapping: Mapping, node: Node) -> Scalar | None:
        """The key that the node makes; None, with a fault, where its value is to be dropped."""
        message = None
        if isinstance(node, Sequence | Mapping):
            message = "a key must be a plain word, not a list or a mapping"
        elif isinstance(node, Scalar) and node.plain and node.text == "<<":
            message = "merge keys (<<) are not allowed, write the fields out"
        if message is not None:
            self._faults.add(node.line, message)
        if message is not None or not isinstance(node, Scalar):
            mapping.is_whole = False
            return None
        earlier = mapping.fields.get(node.text)
        if earlier is not None:
            name = shown(node.text)
            self._faults.add(node.line, f"{name}: is given twice, first on line {earlier.line}")
            # Whichever was meant, what stands in it is not to be judged before that is settled.
            earlier.value = Broken(earlier.line)
            return None
        return node

    def _refuse_tag(self, line: int, tag: str) -> None:
        self._faults.add(line, f"tags are not allowed, remove {_written(tag)}")


def _written(tag: str) -> str:
    return shown(tag.replace("tag:yaml.org,2002:", "!!", 1))
