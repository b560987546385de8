"""The content of a record as plain data, from which its version is computed, and which is stored.

Optional fields without a value are omitted, so that a new optional field changes no version.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Any

from evref.domain.declaration import Declared, Kind, Written, declared

Record = dict[str, Any]
"""A JSON object: text, numbers, Booleans, None, lists and objects by name."""

_Write = Callable[[Any], Any]


def content_of(record: Declared) -> Record:
    """Return the fields of a record by their names in documents."""
    content = {}
    kind: Any = type(record)
    for name, attribute, may_be_left_out, write in _fields(kind):
        value = getattr(record, attribute)
        if value or not may_be_left_out:
            content[name] = value if write is None or value is None else write(value)
    return content


@cache
def _fields(record: type) -> tuple[tuple[str, str, bool, _Write | None], ...]:
    return tuple(
        (
            field.name,
            field.attribute,
            field.is_optional and field.kind.marker(Written) is None,
            _writer(field.kind),
        )
        for field in declared(record)
        if field.name is not None
    )


def _writer(kind: Kind) -> _Write | None:
    """Return the function that converts a value of this kind to plain data; None if it is plain."""
    if kind.is_record:
        return content_of
    if kind.is_list:
        return _list_writer(_writer(kind.items[0]))
    if kind.is_pair:
        return _list_writer(_writer(declared(kind.type)[0].kind))
    if kind.is_mapping:
        write = _writer(kind.items[1]) or str
        return lambda values: {str(name): write(values[name]) for name in sorted(values)}
    return _SCALARS.get(kind.type, attrgetter("value"))


def _list_writer(write: _Write | None) -> _Write:
    return list if write is None else lambda values: [write(value) for value in values]


_SCALARS: dict[type, _Write | None] = {
    str: None,
    int: None,
    bool: None,
    date: date.isoformat,
    Decimal: None,
}
"""The functions that convert scalars to plain data; an enumeration becomes its value."""
