"""Ids of records in 16 hexadecimal digits, secrets in base 62, and their digests.

The catalogue has other ids: see `Slug`.
"""

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Annotated, Self

Digest = Annotated[str, "the SHA-256 of a secret in hexadecimal; the secret is not stored"]
"""A fast hash suffices, because every secret has at least 238 random bits."""

_ID_DIGITS = 16

IDS = 16**_ID_DIGITS
"""The number of ids: too many to guess or collide."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(first + second for first in _DIGITS for second in _DIGITS)


def new_id(number: int) -> str:
    """Return the id of a random number from 0 to `IDS` - 1."""
    return f"{number:0{_ID_DIGITS}x}"


def digest_of(text: str) -> Digest:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


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


@dataclass(frozen=True, slots=True, repr=False)
class RandomSecret:
    """A prefix and base62 digits; the representation omits them, for logs and tracebacks."""

    text: str

    PREFIX = ""
    DIGITS = 48
    SECRETS = 62**DIGITS

    @classmethod
    def make(cls, secret: int) -> Self:
        """Return the secret of a number from 0 to `SECRETS` - 1 from a cryptographic source."""
        return cls(cls.PREFIX + base62(secret, cls.DIGITS))

    @property
    def digest(self) -> Digest:
        return digest_of(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


@dataclass(frozen=True, slots=True)
class SharedSecret:
    """A secret that all processes share; once stored it never changes."""

    name: str
    value: str = field(repr=False)
