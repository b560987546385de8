"""The query of a page: unknown and repeated parameters are errors and never ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.redaction import has_key

LONGEST_TEXT = 200

Reader = Callable[[str, str], Any]
"""Parses a parameter from its name and text; raises InvalidParametersError."""


def one_of(kind: type[StrEnum]) -> Reader:
    """Return a reader for a value of an enumeration."""

    def read(name: str, text: str) -> StrEnum:
        try:
            return kind(text)
        except ValueError:
            raise _invalid(name, "is not one of the allowed values", *kind) from None

    return read


def words(name: str, text: str) -> str:
    """Return the text of a search field. Browsers also send empty fields, which mean no search."""
    if len(text) > LONGEST_TEXT:
        raise _invalid(name, "is too long", f"text of at most {LONGEST_TEXT} characters")
    if has_key(text):
        raise _invalid(name, "looks like an API key: never put one into an address", "words, codes")
    return " ".join(text.split())


def read(args: MultiDict[str, str], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Return the given parameters.

    Raises:
        InvalidParametersError: If a parameter is unknown, repeated or invalid; the error has all.

    """
    found: dict[str, Any] = {}
    faults: list[ParameterFault] = []
    for name, texts in args.lists():
        try:
            if name not in readers:
                raise _invalid(name, "is not a parameter of this page", *readers)
            if len(texts) > 1:
                raise _invalid(name, "is given more than once", "at most one value")
            found[name] = readers[name](name, texts[0])
        except InvalidParametersError as error:
            faults += error.faults
    if faults:
        raise InvalidParametersError(tuple(faults))
    return {name: value for name, value in found.items() if value}


def spelled(query: Mapping[str, str]) -> str:
    """Return the normalized form of a query."""
    return urlencode(sorted(query.items()))


def _invalid(name: str, message: str, *allowed: str) -> InvalidParametersError:
    return InvalidParametersError((ParameterFault(name, message, allowed),))
