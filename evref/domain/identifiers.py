"""Ids of records that are not part of the catalogue: 16 hexadecimal digits."""

_DIGITS = 16

IDS = 16**_DIGITS
"""How many there are: too many to guess or collide."""


def new_id(number: int) -> str:
    """Return the id of a random number from 0 to `IDS` - 1."""
    return f"{number:0{_DIGITS}x}"


def is_id(text: str) -> bool:
    """Return whether the text has the form of an id."""
    return len(text) == _DIGITS and all(digit in "0123456789abcdef" for digit in text)
