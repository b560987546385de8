"""Numbers as text: ids of records in 16 hexadecimal digits, and secrets in base 62.

The catalogue has other ids: see `Slug`.
"""

import zlib

_ID_DIGITS = 16

IDS = 16**_ID_DIGITS
"""The number of ids: too many to guess or collide."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(first + second for first in _DIGITS for second in _DIGITS)


def new_id(number: int) -> str:
    """Return the id of a random number from 0 to `IDS` - 1."""
    return f"{number:0{_ID_DIGITS}x}"


def is_id(text: str) -> bool:
    """Return whether the text has the form of an id."""
    return len(text) == _ID_DIGITS and all(digit in "0123456789abcdef" for digit in text)


def base62(number: int, digits: int) -> str:
    """Return the number in base 62, padded with zeros to this many digits."""
    written = ""
    for _ in range(digits):
        number, digit = divmod(number, 62)
        written = _DIGITS[digit] + written
    return written


def base62_checksum(text: str) -> str:
    """Return the CRC-32 of a text as six digits in base 62."""
    # Two digits at a time, because every request computes it.
    rest, last = divmod(zlib.crc32(text.encode()), len(_PAIRS))
    first, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[middle] + _PAIRS[last]
