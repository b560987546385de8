"""API keys: their tokens, what they allow, and how long they live."""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from urllib.parse import unquote

from evref.domain.access.quota import DAILY_LIMIT_RULE, HIGHEST_DAILY_LIMIT, DailyWindow
from evref.domain.access.secret import KeySecret
from evref.domain.errors import (
    InsufficientPermissionError,
    InvalidApiKeyError,
    KeyRevokedError,
)
from evref.domain.rules import Rules

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PREFIX = "evref_"
_SECRET_DIGITS = 40
_CHECKSUM_DIGITS = 6
_TOKEN = re.compile(rf"{_PREFIX}[0-9A-Za-z]{{{_SECRET_DIGITS + _CHECKSUM_DIGITS}}}")

# What begins like a key, up to what ends it in an address, a header or a sentence; or letters and
# digits of about a key's length without its beginning. Hexadecimal ids and slugs are not so long,
# or not so mixed.
_LIKE_A_KEY = re.compile(
    rf"(?i:{_PREFIX})[^\s/?&=<>\"',;]*"
    r"|(?<![0-9A-Za-z])(?:[0-9A-Za-z]{45,47}|(?=[0-9a-z]*[A-Z])(?=[0-9A-Z]*[a-z])[0-9A-Za-z]{48,})"
    r"(?![0-9A-Za-z])"
)
_MOST_ENCODINGS = 10


def without_keys(text: str) -> str:
    """The text, with an ellipsis for each part that looks like an API key or a mistyped one.

    For everything that repeats what a client sent. A key is also found in capitals, without its
    prefix, and percent-encoded any number of times; the text is then returned decoded.

    >>> without_keys("/api/v1/%65vref%255Fsecret/interventions")
    '/api/v1/…/interventions'
    """
    decoded = text
    for _ in range(_MOST_ENCODINGS):
        if "%" not in decoded or (further := unquote(decoded)) == decoded:
            break
        decoded = further
    shown = _LIKE_A_KEY.sub("…", decoded)
    return text if shown == decoded else shown


class Permission(StrEnum):
    """What a key may do, least first: `none` < `read`."""

    NONE = "none"
    READ = "read"

    def allows(self, needed: Permission) -> bool:
        """Whether this level is at least the needed one."""
        levels = list(Permission)
        return levels.index(self) >= levels.index(needed)

    def and_above(self) -> tuple[Permission, ...]:
        """This level and all that include it."""
        return tuple(level for level in Permission if level.allows(self))


@dataclass(frozen=True, slots=True)
class KeyToken:
    """The secret that a client sends: `evref_`, 40 base62 characters, 6 of CRC-32 over them all.

    Only whoever made the key ever holds it; storage keeps `digest` and `last_four`. The
    representation leaves the secret out, so that no log or traceback shows it.

    Raises:
        InvalidApiKeyError: when the form or the checksum is wrong, so that a mistyped key is
            refused before anyone asks storage about it.

    """

    text: str

    SECRETS = 62**_SECRET_DIGITS

    def __post_init__(self) -> None:
        body, checksum = self.text[:-_CHECKSUM_DIGITS], self.text[-_CHECKSUM_DIGITS:]
        if _TOKEN.fullmatch(self.text) is None or checksum != _checksum(body):
            raise InvalidApiKeyError

    @classmethod
    def make(cls, secret: int) -> KeyToken:
        """The token of a secret number, 0 to `SECRETS` - 1, from a cryptographic source."""
        body = _PREFIX + _base62(secret, _SECRET_DIGITS)
        return cls(body + _checksum(body))

    @property
    def digest(self) -> str:
        """SHA-256 of the token in hexadecimal; a fast hash is right for 238 random bits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def last_four(self) -> str:
        return self.text[-4:]

    def secret(self, instant: datetime) -> KeySecret:
        """What storage keeps of the token, when it is made at this instant."""
        return KeySecret(self.digest, self.last_four, instant)

    def __repr__(self) -> str:
        return f"KeyToken(…{self.last_four})"


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECKSUM_DIGITS)


def _base62(number: int, digits: int) -> str:
    written = ""
    for _ in range(digits):
        number, digit = divmod(number, 62)
        written = _BASE62[digit] + written
    return written


class KeyState(StrEnum):
    """Whether a key works, and if not, why."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The record of a key, without its token. Days are UTC; `expires_on` is its last day.

    `secrets` are what its tokens are recognised by, oldest first. All of them count against the
    one limit.

    Raises:
        InvalidValueError: with every field that breaks a rule.

    """

    id: str
    institution_id: str
    name: str
    permission: Permission
    daily_limit: int
    secrets: tuple[KeySecret, ...]
    created_at: datetime
    expires_on: date | None = None
    revoked_at: datetime | None = None

    LONGEST_NAME = 100

    def __post_init__(self) -> None:
        rules = Rules()
        rules.name("name", self.name, longest=self.LONGEST_NAME)
        rules.require(
            0 <= self.daily_limit <= HIGHEST_DAILY_LIMIT,
            "daily_limit",
            DAILY_LIMIT_RULE,
        )
        rules.some("secrets", self.secrets)
        rules.enforce()

    @property
    def last_four(self) -> str:
        """The last four characters of the newest token."""
        return self.secrets[-1].last_four

    def state(self, today: date) -> KeyState:
        if self.revoked_at is not None:
            return KeyState.REVOKED
        if self.expires_on is not None and today > self.expires_on:
            return KeyState.EXPIRED
        return KeyState.ACTIVE

    def check(self, digest: str, needed: Permission, instant: datetime) -> None:
        """Pass silently when the token with this digest may be used so at this instant.

        Raises:
            InvalidApiKeyError: when the key is revoked or expired, or none of its secrets with
                this digest works.
            InsufficientPermissionError: when its level is below the needed one.

        """
        works = any(secret.digest == digest and secret.works_at(instant) for secret in self.secrets)
        if not works or self.state(DailyWindow.of(instant).day) is not KeyState.ACTIVE:
            raise InvalidApiKeyError
        if not self.permission.allows(needed):
            raise InsufficientPermissionError

    def changed(
        self,
        *,
        name: str | None = None,
        permission: Permission | None = None,
        daily_limit: int | None = None,
    ) -> ApiKey:
        """The key with what is given changed and the rest kept.

        Raises:
            InvalidValueError: when a new value breaks a rule.
            KeyRevokedError: when the key is revoked, which is final.

        """
        self._refuse_when_revoked()
        return replace(
            self,
            name=self.name if name is None else name,
            permission=self.permission if permission is None else permission,
            daily_limit=self.daily_limit if daily_limit is None else daily_limit,
        )

    def revoked(self, instant: datetime) -> ApiKey:
        """The key, revoked at this instant.

        Raises:
            KeyRevokedError: when it was revoked before.

        """
        self._refuse_when_revoked()
        return replace(self, revoked_at=instant)

    def _refuse_when_revoked(self) -> None:
        if self.revoked_at is not None:
            raise KeyRevokedError(self.id)
