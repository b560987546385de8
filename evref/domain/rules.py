"""Rules that several entities share, gathered so that every fault is told at once."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sized

from evref.domain.errors import Fault, InvalidValueError

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

# The control characters C0 and C1 but for the line feed, and lone surrogates.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_LINE_END = re.compile("[\n\u2028\u2029]")

# What steers the direction of text or has no width, what has a meaning of its owner's only, and
# spaces of other widths; and what shows nothing, of whichever category (Unicode's
# Default_Ignorable_Code_Point, and the empty pattern of Braille).
_UNSEEN_CATEGORIES = frozenset({"Cf", "Co", "Zs"})
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


class Rules:
    """Checks the fields of one entity, then raises once with all that is wrong.

    Raises:
        InvalidValueError: from `enforce`, when any check failed.

    """

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def require(self, holds: bool, field: str, message: str) -> None:
        if not holds:
            self._faults.append(Fault(field, message))

    def slug(self, field: str, value: str, *, longest: int) -> None:
        """The value is a slug: lower-case letters and digits, in words joined by hyphens."""
        self.require(
            len(value) <= longest and _SLUG.fullmatch(value) is not None,
            field,
            f"must be a slug of 1 to {longest} characters: a-z, 0-9 and single hyphens between",
        )

    def text(self, field: str, value: str, *, shortest: int, longest: int) -> None:
        """The value is trimmed plain text of so many characters; a line break is allowed."""
        self.require(
            shortest <= len(value) <= longest,
            field,
            f"must have {shortest} to {longest} characters, has {len(value)}",
        )
        self.require(value == value.strip(), field, "must not begin or end with white space")
        self.require(
            _CONTROL.search(value) is None,
            field,
            "must be plain text without control characters",
        )

    def line(self, field: str, value: str, *, shortest: int, longest: int) -> None:
        """The value is text, as above, on a single line."""
        self.text(field, value, shortest=shortest, longest=longest)
        self.require(_LINE_END.search(value) is None, field, "must be a single line")

    def name(self, field: str, value: str, *, longest: int) -> None:
        """The value is a line in which all that tells it from another can be seen."""
        self.line(field, value, shortest=1, longest=longest)
        unseen = "".join(filter(_is_unseen, value))[:1]
        self.require(
            not unseen,
            field,
            f"must have nothing in it that cannot be seen, has U+{ord(unseen or ' '):04X}",
        )

    def some(self, field: str, values: Sized) -> None:
        self.require(len(values) > 0, field, "must have at least one entry")

    def distinct(self, field: str, values: Iterable[str]) -> None:
        repeated = sorted(value for value, times in Counter(values).items() if times > 1)
        self.require(not repeated, field, f"must not repeat {', '.join(repeated)}")

    def enforce(self) -> None:
        if self._faults:
            raise InvalidValueError(self._faults)


def _is_unseen(character: str) -> bool:
    return character != " " and (
        unicodedata.category(character) in _UNSEEN_CATEGORIES
        or _UNSEEN.fullmatch(character) is not None
    )


def folded(text: str) -> str:
    """The text without case and accents, for comparison (Unicode caseless matching, NFKD).

    >>> folded("Guillain-Barré SYNDROME")
    'guillain-barre syndrome'
    """
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))
