"""From the tree of a file to the entry of a diagnosis, with every fault at its line.

Fields are read one by one and then judged by the domain's own constructors. Where a field cannot
be read, its fault is told and a placeholder goes on in its stead, so that the others are judged
as well; what is built with a placeholder is thrown away in the end.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date
from enum import StrEnum
from typing import TypeVar

from evref.adapters.outbound.yaml.documents import (
    Broken,
    Field,
    Mapping,
    Node,
    Scalar,
    Sequence,
    document,
)
from evref.adapters.outbound.yaml.faults import Faults, shown
from evref.domain.catalogue import Entry
from evref.domain.diagnosis import Diagnosis, Module
from evref.domain.errors import InvalidValueError
from evref.domain.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.icd import Icd10Code, Icd11Code
from evref.domain.intervention import FittVp, Intervention, Phase

_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")

_YEAR = re.compile("[1-9][0-9]{0,8}")
_MOST_KEYS_SHOWN = 10

# The domain's names of fields where the file has others.
_NAMES_IN_FILES = {"icd10_codes": "icd10", "icd11_codes": "icd11"}


class _Shape:
    """The fields that a mapping must have, but for the optional ones, which it may leave out."""

    def __init__(self, name: str, fields: Iterable[str], optional: Iterable[str] = ()) -> None:
        self.name = name
        self.fields = dict.fromkeys(fields)
        self.required = [field for field in self.fields if field not in optional]
        self.allowed = ", ".join(self.fields)
        self.needed = ", ".join(self.required)


_DIAGNOSIS = _Shape(
    "a diagnosis",
    (
        "id",
        "name",
        "icd10",
        "icd11",
        "enabled_modules",
        "checked_on",
        "interventions",
        "references",
    ),
)
_INTERVENTION = _Shape(
    "an intervention",
    ("id", "module", "phase", "title", "summary", "fitt_vp", "evidence", "references"),
    optional=("fitt_vp",),
)
_FITT_VP = _Shape("fitt_vp", ("frequency", "intensity", "time", "type", "volume", "progression"))
_EVIDENCE = _Shape("evidence", ("certainty", "recommendation", "direction", "source_grade"))
_REFERENCE = _Shape(
    "a reference",
    ("title", "authors", "year", "source", "kind", "doi", "pmid", "url"),
    optional=("doi", "pmid", "url"),
)

_SOME_FITT_VP = FittVp(None, None, None, None, None, None)
_SOME_EVIDENCE = Evidence(Certainty.NOT_GRADED, Recommendation.NOT_STATED, Direction.UNCLEAR, None)
_SOME_REFERENCE = Reference(
    "-", "-", Reference.FIRST_YEAR, "-", ReferenceKind.GUIDELINE, None, "1", None
)


class _Record:
    """A mapping of a known shape, read field by field; unknown and missing ones are told."""

    def __init__(self, shape: _Shape, line: int, mapping: Mapping, faults: Faults) -> None:
        self._line = line
        self._fields = mapping.fields
        self._faults = faults
        # A field that was refused with its key is not to be missed besides.
        self._told = set() if mapping.is_whole else set(shape.fields) - set(mapping.fields)
        for name, field in mapping.fields.items():
            if name not in shape.fields:
                message = f"is no field of {shape.name}, which has {shape.allowed}"
                faults.add(field.line, f"{shown(name)}: {message}")
        for name in shape.required:
            if name not in mapping.fields and name not in self._told:
                self.fault(name, f"is missing; {shape.name} must have {shape.needed}")

    def line_of(self, name: str) -> int:
        return self._fields[name].line if name in self._fields else self._line

    def place_of(self, name: str) -> str:
        return f"{self._faults.file}:{self.line_of(name)}"

    def field(self, name: str) -> Field | None:
        return self._fields.get(name)

    def fault(self, name: str, message: str, line: int | None = None) -> None:
        """Tell what is wrong with a field, at its line unless an item in it has another."""
        self._faults.add(line or self.line_of(name), f"{name}: {message}")
        self.keep_quiet_on(name)

    def keep_quiet_on(self, name: str) -> None:
        """Leave out what the domain says of a field of which enough is said."""
        self._told.add(name)

    def judged(self, make: Callable[[], _Value]) -> _Value | None:
        """What a constructor makes of the fields; None, with faults, where it refuses them."""
        try:
            return make()
        except InvalidValueError as error:
            for fault in error.faults:
                name = _NAMES_IN_FILES.get(fault.field, fault.field)
                if name not in self._told:
                    self._faults.add(self.line_of(name), f"{name}: {fault.message}")
            return None

    def text(self, name: str) -> str:
        field = self._fields.get(name)
        return "" if field is None else self._text(name, field.value, field.line) or ""

    def text_or_none(self, name: str, otherwise: str | None = None) -> str | None:
        """The text, None where it is null or left out, and `otherwise` where it cannot be read."""
        field = self._fields.get(name)
        if field is None or _is_null(field.value):
            return None
        text = self._text(name, field.value, field.line)
        return otherwise if text is None else text

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        field = self._fields.get(name)
        chosen = None if field is None else self._choice(name, field.value, field.line, choices)
        return next(iter(choices)) if chosen is None else chosen

    def year(self, name: str) -> int:
        field = self._fields.get(name)
        if field is None or isinstance(field.value, Broken):
            self.keep_quiet_on(name)
            return 0
        node = field.value
        if isinstance(node, Scalar) and node.plain and _YEAR.fullmatch(node.text):
            return int(node.text)
        self.fault(name, f"must be a whole number without quotes, such as 2020, {_is(node)}")
        return 0

    def date(self, name: str) -> date:
        text = self.text(name)
        try:
            return date.fromisoformat(text)
        except ValueError:
            if self.is_clear(name) and name in self._fields:
                self.fault(name, 'must be a date in quotes, such as "2026-11-21"')
            return date.min

    def items(self, name: str, example: str) -> list[Node] | None:
        """The items of a list; None, with a fault, where it is none."""
        field = self._fields.get(name)
        if field is None:
            return None
        if isinstance(field.value, Sequence):
            return field.value.items
        if isinstance(field.value, Broken):
            self.keep_quiet_on(name)
        else:
            self.fault(name, f"must be a list, such as {example}, {_is(field.value)}")
        return None

    def choices(self, name: str, choices: type[_Choice], example: str) -> list[_Choice] | None:
        """The members that a list names, without repeats; None where any is unclear."""
        return self._distinct(
            name, example, lambda node: self._choice(name, node, node.line, choices)
        )

    def codes(self, name: str, make: Callable[[str], _Value], example: str) -> list[_Value]:
        """The codes in a list, without repeats and without those that are none."""

        def code(node: Node) -> _Value | None:
            text = self._text(name, node, node.line)
            if text is None:
                return None
            try:
                return make(text)
            except InvalidValueError as error:
                self.fault(name, f"{error.faults[0].message}, not {_quoted(text)}", node.line)
                return None

        return self._distinct(name, example, code) or []

    def has_list(self, name: str) -> bool:
        field = self._fields.get(name)
        return field is not None and isinstance(field.value, Sequence)

    def is_clear(self, name: str) -> bool:
        """Whether the field could be read, as far as it was."""
        return name not in self._told

    def record(self, name: str, shape: _Shape) -> "_Record | None":
        """The mapping in a field; None, with a fault, where it is none."""
        field = self._fields.get(name)
        return (
            None if field is None else _record(field.value, field.line, name, shape, self._faults)
        )

    def _distinct(
        self, name: str, example: str, read: Callable[[Node], _Value | None]
    ) -> list[_Value] | None:
        nodes = self.items(name, example)
        if nodes is None:
            return None
        values: dict[_Value, None] = {}
        all_clear = True
        for node in nodes:
            value = read(node)
            if value is None:
                all_clear = False
            elif value in values:
                self.fault(name, f"must not repeat {value}", node.line)
            else:
                values[value] = None
        return list(values) if all_clear else None

    def _text(self, name: str, node: Node, line: int) -> str | None:
        if isinstance(node, Broken):
            self.keep_quiet_on(name)
        elif not isinstance(node, Scalar) or _is_null(node):
            self.fault(name, f"must be text, {_is(node)}", line)
        elif (kind := node.kind) != "text":
            message = f"must be text, put it in quotes: {_quoted(node.text)} is {kind} without them"
            self.fault(name, message, line)
        else:
            return node.text.strip()
        return None

    def _choice(self, name: str, node: Node, line: int, choices: type[_Choice]) -> _Choice | None:
        if isinstance(node, Broken):
            self.keep_quiet_on(name)
            return None
        if isinstance(node, Scalar):
            try:
                return choices(node.text.strip())
            except ValueError:
                pass
        self.fault(name, f"must be one of {', '.join(choices)}, {_is(node)}", line)
        return None


class Reader:
    """Reads one file after the other, and remembers which ids it has met, and where."""

    def __init__(self) -> None:
        self._diagnoses: dict[str, str] = {}
        self._interventions: dict[str, str] = {}

    def entry(self, text: str, faults: Faults) -> Entry | None:
        """The entry in the text of a file; None, with faults, where there is none."""
        root = document(text, faults)
        if root is None:
            return None
        fields = _record(root, root.line, "the file", _DIAGNOSIS, faults)
        if fields is None:
            return None
        diagnosis_id = _unique_id(fields, self._diagnoses)
        modules = fields.choices("enabled_modules", Module, "[home, prevention]")
        diagnosis = fields.judged(
            lambda: Diagnosis(
                id=diagnosis_id,
                name=fields.text("name"),
                icd10_codes=tuple(fields.codes("icd10", Icd10Code, '["M17"]')),
                icd11_codes=tuple(fields.codes("icd11", Icd11Code, '["FA01"]')),
                enabled_modules=tuple(modules or ()),
                checked_on=fields.date("checked_on"),
            )
        )
        bibliography = _Bibliography(fields.field("references"), faults)
        interventions = [
            self._intervention(node, diagnosis_id, modules, bibliography, faults)
            for node in fields.items("interventions", "[]") or ()
        ]
        if fields.has_list("interventions"):
            bibliography.refuse_unused()
        if faults or diagnosis is None:
            return None
        return Entry(diagnosis, tuple(filter(None, interventions)))

    def _intervention(
        self,
        node: Node,
        diagnosis_id: str,
        enabled: list[Module] | None,
        bibliography: "_Bibliography",
        faults: Faults,
    ) -> Intervention | None:
        fields = _record(node, node.line, "interventions", _INTERVENTION, faults)
        if fields is None:
            bibliography.some_use_is_unclear()
            return None
        intervention_id = _unique_id(fields, self._interventions)
        module = fields.choice("module", Module)
        if not fields.is_clear("module"):
            # Whether a dose must be given hangs on the module, which is not known.
            fields.keep_quiet_on("fitt_vp")
        elif enabled is not None and module not in enabled:
            fields.fault(
                "module",
                f"{module} is not enabled; enabled_modules has {', '.join(enabled) or 'none'}",
            )
        return fields.judged(
            lambda: Intervention(
                id=intervention_id,
                diagnosis_id=diagnosis_id,
                module=module,
                phase=fields.choice("phase", Phase),
                title=fields.text("title"),
                summary=fields.text("summary"),
                fitt_vp=_fitt_vp(fields),
                evidence=_evidence(fields),
                references=bibliography.cited_by(fields),
            )
        )


class _Bibliography:
    """The references that a file defines, by the keys that are known in this file alone."""

    def __init__(self, field: Field | None, faults: Faults) -> None:
        self._faults = faults
        self._defined: dict[str, Field] = {}
        self._references: dict[str, Reference] = {}
        self._is_whole = False
        self._used: set[str] = set()
        self._every_use_is_clear = True
        if field is not None:
            if isinstance(field.value, Mapping):
                self._defined = field.value.fields
                self._is_whole = field.value.is_whole
            elif not isinstance(field.value, Broken):
                message = f"references: must be a mapping of keys to references, {_is(field.value)}"
                faults.add(field.line, message)
        for key, definition in self._defined.items():
            self._references[key] = _reference(key, definition, faults)
        some = [shown(key) for key in list(self._defined)[:_MOST_KEYS_SHOWN]]
        more = len(self._defined) - len(some)
        self._keys = (", ".join(some) or "none") + (f" and {more} more" if more else "")

    def some_use_is_unclear(self) -> None:
        self._every_use_is_clear = False

    def cited_by(self, fields: _Record) -> tuple[Reference, ...]:
        """The references that an intervention lists, in its order."""
        nodes = fields.items("references", "[kolasinski-2020]")
        if nodes is None:
            self.some_use_is_unclear()
            return (_SOME_REFERENCE,)
        cited: dict[str, Reference] = {}
        for node in nodes:
            if not isinstance(node, Scalar) or _is_null(node):
                self.some_use_is_unclear()
                if not isinstance(node, Broken):
                    fields.fault("references", f"must list keys, {_is(node)}", node.line)
                continue
            if node.text in cited:
                fields.fault("references", f"must not repeat {shown(node.text)}", node.line)
            elif self._is_whole and node.text not in self._references:
                fields.fault(
                    "references",
                    f"{shown(node.text)} is not defined; the references are {self._keys}",
                    node.line,
                )
            cited[node.text] = self._references.get(node.text, _SOME_REFERENCE)
        self._used.update(cited)
        if nodes:
            return tuple(cited.values()) or (_SOME_REFERENCE,)
        return ()

    def refuse_unused(self) -> None:
        if self._every_use_is_clear:
            for key, definition in self._defined.items():
                if key not in self._used:
                    message = f"references: {shown(key)} is used by no intervention, remove it"
                    self._faults.add(definition.line, message)


def _unique_id(fields: _Record, places: dict[str, str]) -> str:
    """The id, which no other of its sort may have in all the files."""
    identifier = fields.text("id")
    if fields.is_clear("id"):
        first = places.get(identifier)
        if first is not None:
            fields.fault("id", f"must be unique, {_quoted(identifier)} is also the id in {first}")
        places.setdefault(identifier, fields.place_of("id"))
    return identifier


def _fitt_vp(of: _Record) -> FittVp | None:
    field = of.field("fitt_vp")
    if field is None or _is_null(field.value):
        return None
    fields = of.record("fitt_vp", _FITT_VP)
    if fields is None:
        return _SOME_FITT_VP
    dose = fields.judged(
        lambda: FittVp(
            frequency=fields.text_or_none("frequency"),
            intensity=fields.text_or_none("intensity"),
            time=fields.text_or_none("time"),
            type=fields.text_or_none("type"),
            volume=fields.text_or_none("volume"),
            progression=fields.text_or_none("progression"),
        )
    )
    return dose or _SOME_FITT_VP


def _evidence(of: _Record) -> Evidence:
    fields = of.record("evidence", _EVIDENCE)
    if fields is None:
        return _SOME_EVIDENCE
    evidence = fields.judged(
        lambda: Evidence(
            certainty=fields.choice("certainty", Certainty),
            recommendation=fields.choice("recommendation", Recommendation),
            direction=fields.choice("direction", Direction),
            source_grade=fields.text_or_none("source_grade"),
        )
    )
    return evidence or _SOME_EVIDENCE


def _reference(key: str, definition: Field, faults: Faults) -> Reference:
    fields = _record(definition.value, definition.line, shown(key), _REFERENCE, faults)
    if fields is None:
        return _SOME_REFERENCE
    reference = fields.judged(
        lambda: Reference(
            title=fields.text("title"),
            authors=fields.text("authors"),
            year=fields.year("year"),
            source=fields.text("source"),
            kind=fields.choice("kind", ReferenceKind),
            doi=fields.text_or_none("doi", otherwise="10.1000/1"),
            pmid=fields.text_or_none("pmid", otherwise="1"),
            given_url=fields.text_or_none("url", otherwise="https://example.org/"),
        )
    )
    return reference or _SOME_REFERENCE


def _record(node: Node, line: int, name: str, shape: _Shape, faults: Faults) -> _Record | None:
    """The fields of a mapping; None, with a fault, where the node is none."""
    if isinstance(node, Mapping):
        return _Record(shape, line, node, faults)
    if not isinstance(node, Broken):
        message = f"must be a mapping with the fields {shape.allowed}, {_is(node)}"
        faults.add(line, f"{name}: {message}")
    return None


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind == "null"


def _is(node: Node) -> str:
    """What stands there instead, to end a message with."""
    match node:
        case Scalar() if node.kind == "null":
            return "but is null" if node.text else "but is empty"
        case Scalar():
            return f"not {_quoted(node.text)}"
        case Sequence():
            return "but is a list"
        case _:
            return "but is a mapping"


def _quoted(text: str) -> str:
    return f'"{shown(text)}"'
