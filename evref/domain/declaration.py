"""Declarations of the fields of a record: their meaning and limits, with `typing.Annotated`.

The values are checked when a record is created. The formats that others read and write are
derived from it: stored documents, catalogue files and the schemas of the API.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from decimal import Decimal
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from evref.domain.rules import CONTROL, SLUG, Length, Rules

Check = Callable[[Rules, str, Any], None]
"""Checks a value; messages call the value by this name."""

_Marker = TypeVar("_Marker")


class Slug(Length):
    """An id: words of lower-case letters and digits, joined by hyphens."""

    def check(self, rules: Rules, name: str, value: str) -> None:
        if len(value) > self.longest or re.fullmatch(SLUG, value) is None:
            allowed = f"{self.shortest} to {self.longest} characters"
            rules.refuse(name, f"must be a slug of {allowed}: a-z, 0-9 and single hyphens between")


class Line(Length):
    """Trimmed plain text on a single line."""

    def check(self, rules: Rules, name: str, value: str) -> None:
        rules.line(name, value, self)


class Prose(Length):
    """Trimmed plain text, with or without line breaks."""

    def check(self, rules: Rules, name: str, value: str) -> None:
        rules.text(name, value, self)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text that matches a regular expression completely; `form` describes it in words."""

    regex: str
    form: str
    longest: int

    def check(self, rules: Rules, name: str, value: str) -> None:
        if not self.fits(value):
            rules.refuse(name, f'must be {self.form}, not "{value}"')
        elif len(value) > self.longest:
            rules.refuse(name, f"must have at most {self.longest} characters, has {len(value)}")

    def fits(self, value: str) -> bool:
        """Return whether the value matches, whatever its length."""
        return re.fullmatch(self.regex, value) is not None and CONTROL.search(value) is None


@dataclass(frozen=True, slots=True)
class Range:
    """A number within limits; None for no limit above."""

    least: int
    most: int | None = None

    def check(self, rules: Rules, name: str, value: int | Decimal) -> None:
        is_within = self.least <= value and (self.most is None or value <= self.most)
        form = "a whole number" if isinstance(value, int) else "a number"
        rules.require(is_within, name, f"must be {form} {self}")

    def __str__(self) -> str:
        return f"from {self.least}" + ("" if self.most is None else f" to {self.most}")


@dataclass(frozen=True, slots=True)
class Items:
    """The number of items of a list, and whether items may repeat."""

    least: int = 0
    most: int | None = None
    may_repeat: bool = False
    ignores_case: bool = False

    def check(self, rules: Rules, name: str, values: tuple[object, ...]) -> None:
        number = len(values)
        if number < self.least or (self.most is not None and number > self.most):
            rules.refuse(name, f"must have {self}, has {number}")
        if self.may_repeat:
            return
        seen: set[object] = set()
        for index, value in enumerate(values):
            same = str(value).lower() if self.ignores_case else value
            if same in seen:
                rules.refuse(name, f"must not repeat {value}", item=index)
            seen.add(same)

    def __str__(self) -> str:
        if self.most is None:
            return "at least one item"
        return f"{self.least} to {self.most} items" if self.least else f"at most {self.most} items"


@dataclass(frozen=True, slots=True)
class Example:
    """A value of a field as the API returns it."""

    value: object


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a field in documents if it differs from that in Python; None if it has none."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Written:
    """Marks an optional field that stored documents contain even if it is empty."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type and its markers; a nullable value may be None instead."""

    type: Any
    markers: tuple[Any, ...] = ()
    is_nullable: bool = False

    @property
    def items(self) -> tuple[Kind, ...]:
        """The kind of the items of a list, or those of the keys and the values of a mapping."""
        return tuple(kind_of(item) for item in get_args(self.type) if item is not Ellipsis)

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is tuple

    @property
    def is_mapping(self) -> bool:
        return get_origin(self.type) is Mapping

    @property
    def is_record(self) -> bool:
        """Whether it is a dataclass that declares its fields."""
        return isinstance(self.type, type) and issubclass(self.type, Declared)

    @property
    def is_pair(self) -> bool:
        """Whether it is a named tuple, which documents contain as a list."""
        return isinstance(self.type, type) and issubclass(self.type, tuple)

    def marker(self, of: Callable[..., _Marker]) -> _Marker | None:
        return next((marker for marker in self.markers if type(marker) is of), None)

    def checker(self) -> Check | None:
        """Return the function that checks a value of this kind; None if every value is valid."""
        checks = [marker.check for marker in self.markers if hasattr(marker, "check")]
        of_items: list[Any] = [kind.checker() for kind in self.items]
        if any(of_items):
            check_items: Any = _check_list if self.is_list else _check_mapping
            checks.append(partial(check_items, *of_items))
        if not checks:
            return None

        def check(rules: Rules, name: str, value: object) -> None:
            if value is not None:
                for check_value in checks:
                    check_value(rules, name, value)

        return check


def _check_list(of_item: Check, rules: Rules, name: str, values: tuple[object, ...]) -> None:
    part = Rules()
    for index, value in enumerate(values):
        of_item(part, name, value)
        if part.faults:
            rules.add(part, item=index)
            part = Rules()


def _check_mapping(
    of_key: Check, of_value: Check, rules: Rules, name: str, values: Mapping[str, object]
) -> None:
    for key, value in values.items():
        part = Rules()
        of_key(part, key, key)
        of_value(part, key, value)
        rules.add(part, within=name)


@dataclass(frozen=True, slots=True)
class Field:
    """A declared field; `attribute` is its name in Python, and `name` that in documents.

    An optional field may be absent from a document; its value is then `default()`.
    """

    attribute: str
    name: str | None
    kind: Kind
    meaning: str
    default: Callable[[], object] | None
    check: Check | None

    @property
    def is_optional(self) -> bool:
        return self.default is not None


class Declared:
    """A record that checks each field against its declaration, then the rules that combine fields.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    __slots__ = ()

    def __post_init__(self) -> None:
        rules = Rules()
        # Any, because mypy does not regard the class of a dataclass as hashable.
        kind: Any = type(self)
        for attribute, name, check in _checks(kind):
            check(rules, name, getattr(self, attribute))
        self.check_together(rules)
        rules.enforce()
        self.normalise()

    def check_together(self, rules: Rules) -> None:
        """Check the rules that combine fields."""

    def normalise(self) -> None:
        """Convert valid values to their normal form."""


@cache
def declared(record: type) -> tuple[Field, ...]:
    """Return the fields of a dataclass or of a named tuple, in their order."""
    defaults: dict[str, Callable[[], object]] = {}
    for field in fields(record) if is_dataclass(record) else ():
        if field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory
        elif field.default is not MISSING:
            defaults[field.name] = partial(lambda value: value, field.default)
    return tuple(
        _field(attribute, kind_of(hint), defaults.get(attribute))
        for attribute, hint in get_type_hints(record, include_extras=True).items()
    )


@cache
def _checks(record: type) -> tuple[tuple[str, str, Check], ...]:
    return tuple(
        (field.attribute, field.name or field.attribute, field.check)
        for field in declared(record)
        if field.check is not None
    )


def _field(attribute: str, kind: Kind, default: Callable[[], object] | None) -> Field:
    named = kind.marker(Named)
    return Field(
        attribute=attribute,
        name=attribute if named is None else named.name,
        kind=kind,
        meaning=kind.marker(str) or "",
        default=default,
        check=kind.checker(),
    )


def kind_of(annotation: Any) -> Kind:  # noqa: ANN401 - type forms have no type in common
    if get_origin(annotation) is Annotated:
        kind = kind_of(annotation.__origin__)
        return Kind(kind.type, annotation.__metadata__, kind.is_nullable)
    if get_origin(annotation) in {Union, UnionType}:
        (value,) = (form for form in get_args(annotation) if form is not NoneType)
        return Kind(value, is_nullable=True)
    return Kind(annotation)
