"""Ids of records that are not part of the catalogue."""

from evref.ports.randomness import Randomness

_DIGITS = 16


def new_id(randomness: Randomness) -> str:
    """Sixteen hexadecimal digits: short enough to type, too many to guess or to clash."""
    return f"{randomness.below(16**_DIGITS):0{_DIGITS}x}"
