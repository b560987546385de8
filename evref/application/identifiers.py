"""Ids of records that are not part of the catalogue."""

from evref.ports.randomness import Randomness

_DIGITS = 16


def new_id(randomness: Randomness) -> str:
    """Return 16 hexadecimal digits: short enough to type, and too many to guess or collide."""
    return f"{randomness.below(16**_DIGITS):0{_DIGITS}x}"


def is_id(text: str) -> bool:
    """Return whether the text has the form of `new_id`."""
    return len(text) == _DIGITS and all(digit in "0123456789abcdef" for digit in text)
