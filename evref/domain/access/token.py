"""Key tokens: the secrets that clients send."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from evref.domain.access.key import KeySecret
from evref.domain.errors import InvalidApiKeyError
from evref.domain.identifiers import RandomSecret, base62, base62_checksum
from evref.domain.redaction import KEY_PREFIX

_SECRET_DIGITS = 40
_CHECKSUM_DIGITS = 6
_TOKEN = re.compile(rf"{KEY_PREFIX}[0-9A-Za-z]{{{_SECRET_DIGITS + _CHECKSUM_DIGITS}}}")


@dataclass(frozen=True, slots=True, repr=False)
class KeyToken(RandomSecret):
    """The secret that a client sends: `evref_`, 40 base62 digits, and their CRC-32 in 6 digits.

    If the form or the checksum is wrong, raise `InvalidApiKeyError`. So a mistyped key is rejected
    without a query to storage.
    """

    PREFIX = KEY_PREFIX
    DIGITS = _SECRET_DIGITS
    SECRETS = 62**DIGITS

    def __post_init__(self) -> None:
        body, checksum = self.text[:-_CHECKSUM_DIGITS], self.text[-_CHECKSUM_DIGITS:]
        if _TOKEN.fullmatch(self.text) is None or checksum != base62_checksum(body):
            raise InvalidApiKeyError

    @classmethod
    def make(cls, secret: int) -> KeyToken:
        body = cls.PREFIX + base62(secret, cls.DIGITS)
        return cls(body + base62_checksum(body))

    @property
    def last_four(self) -> str:
        return self.text[-4:]

    def secret(self, instant: datetime) -> KeySecret:
        """Return the part of the token that is stored; `instant` is the time of its creation."""
        return KeySecret(self.digest, self.last_four, instant)
