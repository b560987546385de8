"""Random secrets; storage keeps only their hashes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Self

from evref.domain.identifiers import base62

_DIGITS = 48


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, repr=False)
class RandomSecret:
    """A prefix and 48 base62 digits.

    Storage has only `digest`. The representation omits the secret, for logs and tracebacks.
    """

    text: str

    PREFIX = ""
    SECRETS = 62**_DIGITS

    @classmethod
    def make(cls, secret: int) -> Self:
        """Return the secret of a number from 0 to `SECRETS` - 1 from a cryptographic source."""
        return cls(cls.PREFIX + base62(secret, _DIGITS))

    @property
    def digest(self) -> str:
        """A fast hash suffices for 285 random bits."""
        return digest_of(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


@dataclass(frozen=True, slots=True)
class SharedSecret:
    """A secret that all processes share; once stored it never changes."""

    name: str
    value: str = field(repr=False)
