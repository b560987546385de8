"""The kinds of fields in responses. Every field is required and has a description."""

from enum import StrEnum
from http import HTTPStatus
from typing import Any

from apiflask import Schema, fields
from marshmallow import EXCLUDE, validate


class Record(Schema):
    """A record that may gain fields in a later version.

    The docstrings of subclasses become their descriptions in the OpenAPI document.
    """

    class Meta:
        unknown = EXCLUDE

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        description = " ".join((cls.__doc__ or "").split())
        cls.Meta = type("Meta", (cls.Meta,), {"description": description})  # type: ignore[assignment, misc]


def text(
    description: str, *, nullable: bool = False, attribute: str | None = None, **metadata: Any
) -> fields.String:
    return fields.String(
        required=True,
        allow_none=nullable,
        attribute=attribute,
        metadata={"description": description, **metadata},
    )


def one_of(kind: type[StrEnum], description: str, **options: Any) -> fields.Enum[Any]:
    metadata = {"type": "string", "description": description}
    return fields.Enum(kind, by_value=True, required=True, metadata=metadata, **options)


def number(description: str, *, nullable: bool = False, **metadata: Any) -> fields.Integer:
    metadata = {"description": description, **metadata}
    return fields.Integer(required=True, allow_none=nullable, metadata=metadata)


def decimal(description: str, **metadata: Any) -> fields.Float:
    return fields.Float(required=True, metadata={"description": description, **metadata})


def status(status: HTTPStatus) -> fields.Integer:
    metadata = {"description": "The HTTP status."}
    return fields.Integer(required=True, validate=validate.Equal(int(status)), metadata=metadata)


def flag(description: str) -> fields.Boolean:
    return fields.Boolean(required=True, metadata={"description": description})


def day(description: str, *, nullable: bool = False, **metadata: Any) -> fields.Date:
    metadata = {"description": description, **metadata}
    return fields.Date(required=True, allow_none=nullable, metadata=metadata)


def instant(description: str, **metadata: Any) -> fields.DateTime:
    return fields.DateTime(required=True, metadata={"description": description, **metadata})


def nested(
    kind: type[Schema], description: str | None = None, *, required: bool = True
) -> fields.Nested:
    """Return a field with a record. With a description, which says when, it may be null."""
    if description is None:
        return fields.Nested(kind, required=required)
    metadata = {"description": description}
    return fields.Nested(kind, required=required, allow_none=True, metadata=metadata)


def list_of(
    kind: type[Schema],
    description: str,
    *,
    required: bool = True,
    attribute: str | None = None,
    **metadata: Any,
) -> fields.List[Any]:
    return fields.List(
        fields.Nested(kind),
        required=required,
        attribute=attribute,
        metadata={"description": description, **metadata},
    )


class _Texts(fields.List[str]):
    """Texts, not validated again: a list has thousands, and the domain has checked each."""

    def _serialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        return [*map(str, value)]


def texts(
    description: str,
    kind: fields.Field[Any] | None = None,
    *,
    attribute: str | None = None,
    data_key: str | None = None,
    **metadata: Any,
) -> fields.List[str]:
    """Return a field with texts, or with values that `str` converts to texts of this kind."""
    return _Texts(
        kind or fields.String(),
        required=True,
        attribute=attribute,
        data_key=data_key,
        metadata={"description": description, **metadata},
    )
