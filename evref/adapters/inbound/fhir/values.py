"""The values of search parameters, and how they are read (R4, search)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from evref.adapters.inbound.web.code_systems import ICD_10, ICD_11, URN, by_url
from evref.adapters.inbound.web.problems import NotAcceptableError
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.redaction import without_keys
from evref.domain.rules import folded

FORMATS = ("json", "application/fhir+json", "application/json", "text/json")
"""The values of `_format` that mean JSON (R4, http, mime-type)."""

SORTABLE = ("_id", "title", "_lastUpdated")

# A comma separates values unless a backslash escapes it (R4, search, escaping).
_VALUE = re.compile(r",((?:\\.|[^\\,]|\\$)*)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,|$])")
_BEFORE_BAR = re.compile(r"((?:\\.|[^\\|])*)\|", re.DOTALL)
_DATE = re.compile(r"(eq|ne|gt|lt|ge|le|sa|eb)?(([0-9]{4})(-[0-9]{2})?(-[0-9]{2})?(T[^ ]{5,40})?)")


class InvalidError(Exception):
    """Indicates a value that is not allowed; the text says why."""


class Token(NamedTuple):
    """A value of a token parameter (R4, search, token); None stands for any."""

    system: str | None
    code: str | None


_ANY = {
    Token(name, None)
    for system in (ICD_10, ICD_11)
    for name in (*system.urls, f"{URN}{system.oid}")
}
"""Tokens for any code of a system: each resource has codes of these."""


class Codings(NamedTuple):
    """The codes of a value of `context`, and whether it asks for any code of a code system."""

    codes: tuple[RecordCode, ...]
    has_any: bool


@dataclass(frozen=True, slots=True)
class Period:
    """A prefix, such as `ge`, and the time from `start` until before `end` (R4, search, date)."""

    prefix: str
    start: datetime
    end: datetime

    def admits(self, time: datetime) -> bool:
        second = time.replace(microsecond=0)
        is_within = self.start <= second < self.end
        return {
            "eq": is_within,
            "ne": not is_within,
            "gt": second >= self.end,
            "sa": second >= self.end,
            "ge": second >= self.start,
            "lt": second < self.start,
            "eb": second < self.start,
            "le": second < self.end,
        }[self.prefix]


def values_of(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in _VALUE.findall(f",{text}"))


def set_of(read: Callable[[str], Any]) -> Callable[[Sequence[str]], frozenset[Any]]:
    def read_all(values: Sequence[str]) -> frozenset[Any]:
        if not all(values):
            raise InvalidError("has an empty value")
        return frozenset(map(read, values))

    return read_all


def exactly(*allowed: str) -> Callable[[str], str]:
    return _matching("|".join(map(re.escape, allowed)), "is not one of the allowed values")


def _matching(pattern: str, fault: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise InvalidError(fault)
        return text

    return read


read_id = _matching("[A-Za-z0-9.-]{1,64}", "is not an id of a resource")
read_number = _matching("[0-9]{1,100}", "is not a whole number from 0")


def read_format(text: str) -> None:
    # A plus sign that is not percent-encoded arrives as a space.
    media_type = text.partition(";")[0].strip().replace(" ", "+").lower()
    if media_type not in FORMATS:
        raise NotAcceptableError(FORMATS[1:])


def read_text(text: str) -> str:
    text = _unescaped(text)
    # A text that is empty without its accents would match the beginning of every title.
    if not folded(text):
        raise InvalidError("contains a text with accents only")
    return text


def read_token(text: str) -> Token:
    """Return a token; an escaped bar belongs to the system or the code."""
    before = _BEFORE_BAR.match(text)
    if before is None:
        return Token(None, _unescaped(text))
    system, code = _unescaped(before[1]), _unescaped(text[before.end() :])
    if not (system or code):
        raise InvalidError("has an empty value")
    return Token(system, code or None)


def read_url(text: str) -> Token:
    """Return a canonical URL in place of the system, and its version in place of the code."""
    token = read_token(text)
    return Token(token.code, None) if token.system is None else token


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def read_period(text: str) -> Period:
    """Return the period of a date or a time, which is in UTC unless it has a time zone."""
    fault = "is not a date or a time"
    # A plus sign that is not percent-encoded arrives as a space.
    match = _DATE.fullmatch(text.replace(" ", "+"))
    if match is None:
        raise InvalidError(fault)
    prefix, whole, year, month, day, time = match.groups()
    try:
        start = datetime.fromisoformat(whole if time else f"{year}{month or '-01'}{day or '-01'}")
        # Resources have the time of their last change to the second.
        start = start.replace(microsecond=0, tzinfo=start.tzinfo or UTC)
        if time:
            end = start + timedelta(seconds=1 if time[6:7] == ":" else 60)
        elif day:
            end = start + timedelta(days=1)
        elif month:
            end = (start + timedelta(days=31)).replace(day=1)
        else:
            end = start.replace(year=start.year + 1)
    except (ValueError, OverflowError):
        raise InvalidError(fault) from None
    return Period(prefix or "eq", start, end)


def read_sort(text: str) -> tuple[tuple[str, bool], ...]:
    """Return the elements to sort by, each with whether in descending order."""
    keys = tuple((name.removeprefix("-"), name.startswith("-")) for name in text.split(","))
    if len(keys) > len(SORTABLE) or any(name not in SORTABLE for name, _ in keys):
        raise InvalidError("contains an element by which resources are not sorted")
    return keys


def read_codes(values: Sequence[str]) -> Codings:
    """Return the codes of a token parameter: `system|code`, or a code of either classification.

    Codings of unknown systems are ignored, because a Condition may have codings of several systems.
    """
    tokens = [read_token(value) for value in values if value]
    codes = tuple(code for token in tokens if token not in _ANY for code in _read_code(token))
    has_any = not _ANY.isdisjoint(tokens)
    if not has_any and not any(code.read_as is not None for code in codes):
        raise InvalidError("has no code that can be read")
    return Codings(codes, has_any)


def _read_code(token: Token) -> tuple[RecordCode, ...]:
    system, code = token.system, token.code or ""
    if system is None:
        of_both = tuple(read for kind in Classification for read in read_part(kind, code))
        return tuple(read for read in of_both if read.read_as is not None) or of_both[:1]
    known = by_url(system, code)
    shown = without_keys(f"{system}|{code}")
    if not (system and code):
        kind = "of this system" if system else "without a system"
        error = f"no resource has a code {kind}"
        return (RecordCode(Classification.ICD_10, shown, shown, error=error),)
    if known is None:
        error = "is of a code system that the service does not read"
        return (RecordCode(Classification.ICD_10, shown, None, error=error),)
    return read_part(known.classification, code, known.edition)
