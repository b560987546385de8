"""Reads records from plain data, strictly, as their classes declare them.

A record has exactly its fields, with their types, and the domain checks their values. A record
with a field that cannot be read does not hide the errors of other records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, KeysView
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from evref.domain.declaration import Declared, Field, Kind, declared
from evref.domain.errors import InvalidValueError

Path = tuple[str | int, ...]
"""The names and indexes that lead to a part of a document."""

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Record = TypeVar("_Record", bound=Declared)
_Read = Callable[[Any], Any]

_LONGEST_SHOWN = 60
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?")
_FLAGS = {"true": True, "false": False}
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Unquoted:
    """A scalar of a file that is text only in quotes; without them, only a flag accepts it."""

    text: str

    def __str__(self) -> str:
        return self.text


class UnreadableError(ValueError):
    """Indicates data that cannot be read; `errors` has the path and the message of each error."""

    def __init__(self, errors: Iterable[tuple[Path, str]]) -> None:
        self.errors = list(errors)
        super().__init__("; ".join(f"{'.'.join(map(str, path))}: {why}" for path, why in errors))


class Errors(list[tuple[Path, str]]):
    def read(
        self, path: Path, read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T | None:
        """Return what the function reads from the part at this path, or None if it has errors."""
        try:
            return read(*args, **kwargs)
        except UnreadableError as error:
            self += [((*path, *below), message) for below, message in error.errors]
        except InvalidValueError as error:
            for fault in error.faults:
                item = () if fault.item is None else (fault.item,)
                self.append(((*path, *fault.path, fault.field, *item), fault.message))
        return None

    def enforce(self) -> None:
        if self:
            raise UnreadableError(self)


@cache
def _readers(record: type, *, is_valid: bool) -> tuple[tuple[Field, _Read], ...]:
    return tuple((field, _reader(field.kind, is_valid=is_valid)) for field in declared(record))


@cache
def _names(record: type, others: tuple[str, ...]) -> tuple[KeysView[str], KeysView[str]]:
    """Return the names of all fields, and of the required ones."""
    is_optional = {field.name: field.is_optional for field in declared(record) if field.name}
    names = [*is_optional]
    required = [name for name in names if not is_optional[name]]
    return dict.fromkeys((*names, *others)).keys(), dict.fromkeys((*required, *others)).keys()


def read_record(
    record: type[_Record],
    data: object,
    others: tuple[str, ...] = (),
    *,
    is_valid: bool = False,
    **readers: _Read,
) -> _Record:
    """Return the record in the data of an object.

    `others` are further names that the object has. If the values are known to be valid, only their
    types are checked. `readers` read the values of some fields in place of what the declaration
    says.
    """
    kind: Any = record
    names, required = _names(kind, others)
    if not isinstance(data, dict):
        raise wrong(f"a mapping with the fields {', '.join(names)}", data)
    errors = Errors()
    if not required <= data.keys() <= names:
        missing = f"is missing; required are {', '.join(required)}"
        unknown = f"is not a field; the fields are {', '.join(names)}"
        errors += [((name,), missing) for name in required if name not in data]
        errors += [((name,), unknown) for name in data if name not in names]
    values: dict[str, Any] = {}
    for field, read in _readers(kind, is_valid=is_valid):
        name = field.name or field.attribute
        if field.name is None or name in data:
            reader = readers.get(field.attribute, read)
            values[field.attribute] = errors.read((name,), reader, data.get(name))
        elif field.default is not None:
            values[field.attribute] = field.default()
    errors.enforce()
    made = errors.read((), partial(_of_valid, record) if is_valid else record, **values)
    if made is None:
        raise UnreadableError(errors)
    return made


def _of_valid(record: type[_Record], /, **values: object) -> _Record:
    made = object.__new__(record)
    for attribute, value in values.items():
        object.__setattr__(made, attribute, value)
    made.normalise()
    return made


def _reader(kind: Kind, *, is_valid: bool) -> _Read:
    read = _value_reader(kind, is_valid=is_valid)
    return read if not kind.is_nullable else lambda value: None if value is None else read(value)


def _value_reader(kind: Kind, *, is_valid: bool) -> _Read:
    if kind.is_record:
        return partial(read_record, kind.type, is_valid=is_valid)
    if kind.is_list:
        return partial(read_list, _reader(kind.items[0], is_valid=is_valid))
    if kind.is_pair:
        read = _reader(declared(kind.type)[0].kind, is_valid=is_valid)
        return partial(_read_pair, kind.type, read)
    if kind.is_mapping:
        keys, values = (_reader(item, is_valid=is_valid) for item in kind.items)
        return partial(_read_mapping, keys, values)
    if issubclass(kind.type, StrEnum):
        return _member_reader(kind.type)
    return (_STORED_SCALARS if is_valid else _SCALARS)[kind.type]


def read_each(read: _Read, values: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return what is read from each value, by its name or index."""
    errors = Errors()
    results = {step: errors.read((step,), read, value) for step, value in values}
    errors.enforce()
    return results


def read_list(read: _Read, values: object) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise wrong("a list", values)
    return tuple(read_each(read, enumerate(values)).values())


_ENDS = 2


def _read_pair(kind: type, read: _Read, values: object) -> tuple[Any, ...]:
    if not isinstance(values, list) or len(values) != _ENDS:
        raise UnreadableError([((), "must be a list of two numbers, the lower end first")])
    pair: tuple[Any, ...] = kind(*read_list(read, values))
    return pair


def _read_mapping(read_key: _Read, read: _Read, values: object) -> dict[Any, Any]:
    if not isinstance(values, dict):
        raise wrong("a mapping", values)
    items = ((key, (key, values[key])) for key in sorted(values))
    return dict(read_each(lambda item: (read_key(item[0]), read(item[1])), items).values())


def _member_reader(kind: type[StrEnum]) -> _Read:
    members = {member.value: member for member in kind}

    def read(value: object) -> StrEnum:
        if not isinstance(value, str) or value not in members:
            raise wrong(f"one of {', '.join(kind)}", value)
        return members[value]

    return read


def read_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) in {Unquoted, int, Decimal}:
        raise UnreadableError([((), f'must be text, put it in quotes: "{_clipped(str(value))}"')])
    raise wrong("text", value)


def _read_whole_number(value: object) -> int:
    if type(value) is int:
        return value
    raise wrong("a whole number without quotes, such as 2020", value)


def _read_flag(value: object) -> bool:
    if isinstance(value, Unquoted) and value.text in _FLAGS:
        return _FLAGS[value.text]
    if type(value) is bool:
        return value
    raise wrong("true or false, without quotes", value)


def _read_number(value: object) -> Decimal:
    if isinstance(value, Decimal) or type(value) is int:
        return Decimal(value)
    raise wrong("a number without quotes, such as -0.49", value)


def _read_stored_number(value: object) -> Decimal:
    # Numbers are stored as text, which preserves the version of an earlier release.
    return _read_number(Decimal(str(value)) if NUMBER.fullmatch(str(value)) else value)


def _read_date(value: object) -> date:
    text = read_text(value)
    if _DATE.fullmatch(text) is not None:
        with suppress(ValueError):
            return date.fromisoformat(text)
    raise wrong('a date (year, month and day) in quotes, such as "2026-11-21"', text)


_SCALARS: dict[type, _Read] = {
    str: read_text,
    int: _read_whole_number,
    bool: _read_flag,
    Decimal: _read_number,
    date: _read_date,
}
_STORED_SCALARS: dict[type, _Read] = {**_SCALARS, Decimal: _read_stored_number}


def wrong(allowed: str, value: object) -> UnreadableError:
    return UnreadableError([((), f"must be {allowed}, {_found(value)}")])


def _found(value: object) -> str:
    """Return what the data has instead, as the end of a message."""
    match value:
        case list():
            return "but is a list"
        case dict():
            return "but is a mapping"
        case None:
            return "but is empty"
        case _:
            return f'not "{_clipped(str(value))}"'


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
