"""Ids of records that are not part of the catalogue."""

from evref.ports.randomness import Randomness

_DIGITS = 16


def new_id(randomness: Randomness) -> str:
    """Sixteen hexadecimal digits: short enough to type, too many to guess or to clash."""
    return f"{randomness.below(16**_DIGITS):0{_DIGITS}x}"


def is_id(text: str) -> bool:
    """Whether `new_id` could have made this."""
    return len(text) == _DIGITS and all(digit in "0123456789abcdef" for digit in text)
