"""Rules that several entities share. They collect all errors and report them at once."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from evref.domain.errors import Fault, InvalidValueError

SLUG = "[a-z0-9]+(-[a-z0-9]+)*"
"""The pattern of an id: words of lower-case letters and digits, joined by hyphens."""

# The control characters C0 and C1 but for the line feed, and lone surrogates.
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LINE_END = re.compile("[\n\u2028\u2029]")

# Characters that change the direction of text or have no width, private-use characters, and spaces
# of other widths; and characters of other categories that show nothing
# (Default_Ignorable_Code_Point of Unicode, and the empty Braille pattern).
_UNSEEN_CATEGORIES = frozenset({"Cf", "Co", "Zs"})
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


# Letters whose accent is not a combining character in Unicode.
_PLAIN = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"})


@dataclass(frozen=True, slots=True)
class Length:
    """The shortest and the longest allowed length of a text, in characters."""

    shortest: int
    longest: int


class Rules:
    """Checks the fields of one entity; `enforce` then raises one error for all of them."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def require(self, holds: bool, field: str, message: str) -> None:
        if not holds:
            self.refuse(field, message)

    def refuse(self, field: str, message: str, *, item: int | None = None) -> None:
        self.faults.append(Fault(field, message, item=item))

    def text(self, field: str, value: str, length: Length) -> None:
        """Require trimmed plain text of this length; line breaks are allowed."""
        shortest, longest = length.shortest, length.longest
        # Nearly all of a catalogue's 200,000 texts are right, so the fast checks come first.
        if not shortest <= len(value) <= longest:
            message = f"must have {shortest} to {longest} characters, has {len(value)}"
            self.refuse(field, message)
        if value != value.strip():
            self.refuse(field, "must not begin or end with white space")
        if not value.isprintable() and CONTROL.search(value) is not None:
            self.refuse(field, "must be plain text without control characters")

    def line(self, field: str, value: str, length: Length) -> None:
        self.text(field, value, length)
        if not value.isprintable() and _LINE_END.search(value) is not None:
            self.refuse(field, "must be a single line")

    def name(self, field: str, value: str, *, longest: int) -> None:
        """Require a single line without invisible characters, which make names look alike."""
        self.line(field, value, Length(1, longest))
        self.visible(field, value)

    def visible(self, field: str, value: str) -> None:
        """Require text without invisible characters, also those that change its direction."""
        if unseen := unseen_characters(value):
            message = f"must not contain invisible characters, has U+{ord(unseen[0]):04X}"
            self.refuse(field, message)

    def add(self, others: Rules, *, within: str | None = None, item: int | None = None) -> None:
        """Add the checks of a part: of a named one, or of an item of a list."""
        path = () if within is None else (within,)
        self.faults += [
            replace(fault, path=(*path, *fault.path), item=fault.item if item is None else item)
            for fault in others.faults
        ]

    def enforce(self) -> None:
        if self.faults:
            raise InvalidValueError(self.faults)


def unseen_characters(text: str) -> str:
    """Return the invisible and bidirectional characters of a text, each once, in order."""
    if text.isascii():
        return ""
    return "".join(character for character in dict.fromkeys(text) if _is_unseen(character))


def _is_unseen(character: str) -> bool:
    return character != " " and (
        unicodedata.category(character) in _UNSEEN_CATEGORIES
        or _UNSEEN.fullmatch(character) is not None
    )


def folded(text: str) -> str:
    """Return the text without case and accents, for comparison (caseless matching, NFKD).

    >>> folded("Guillain-Barré SYNDROME")
    'guillain-barre syndrome'
    """
    return without_accents(unicodedata.normalize("NFKD", text).casefold())


def without_accents(text: str) -> str:
    """Return the text in compatibility decomposition (NFKD) without combining characters.

    Nor does it contain letters whose accent Unicode does not decompose, such as ø.
    """
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return the number with its noun, such as 1 intervention or 1,200 diagnoses."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
