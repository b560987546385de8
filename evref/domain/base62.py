"""Numbers in base 62, which secrets are written in."""

import zlib

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(first + second for first in _DIGITS for second in _DIGITS)


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
