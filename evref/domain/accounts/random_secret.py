"""Random secrets; storage keeps only their hashes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from evref.domain.identifiers import Digest, base62, digest_of

_DIGITS = 48


@dataclass(frozen=True, slots=True, repr=False)
class RandomSecret:
    """A prefix and 48 base62 digits; the representation omits them, for logs and tracebacks."""

    text: str

    PREFIX = ""
    SECRETS = 62**_DIGITS

    @classmethod
    def make(cls, secret: int) -> Self:
        """Return the secret of a number from 0 to `SECRETS` - 1 from a cryptographic source."""
        return cls(cls.PREFIX + base62(secret, _DIGITS))

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
