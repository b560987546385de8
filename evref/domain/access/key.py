"""API keys: the tokens that clients send, and what is stored of a key, without its tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from hashlib import sha256
from math import inf
from typing import TypedDict, Unpack

from evref.domain.access.quota import DAILY_LIMIT_RULE, HIGHEST_DAILY_LIMIT, utc_day
from evref.domain.errors import (
    Fault,
    InsufficientPermissionError,
    InvalidApiKeyError,
    InvalidValueError,
    KeyRevokedError,
)
from evref.domain.identifiers import Digest, RandomSecret, base62, base62_checksum
from evref.domain.redaction import KEY_PREFIX
from evref.domain.rules import Rules

_SECRET_DIGITS = 40
_CHECKSUM_DIGITS = 6
_TOKEN = re.compile(rf"{KEY_PREFIX}[0-9A-Za-z]{{{_SECRET_DIGITS + _CHECKSUM_DIGITS}}}")


class Permission(StrEnum):
    """The permission of a key, lowest first: `none` < `read`."""

    NONE = "none"
    READ = "read"


EXPIRES_SOON_DAYS = 14
NEAR_LIMIT_PERCENT = 80


class KeyState(StrEnum):
    """The state of a key. If several apply, the one that is last in this list counts."""

    ACTIVE = "active"
    EXPIRES_SOON = "expires soon"
    NEAR_LIMIT = "near limit"
    LIMIT_REACHED = "limit reached"
    NO_ACCESS = "no access"
    EXPIRED = "expired"
    REVOKED = "revoked"

    @property
    def has_ended(self) -> bool:
        return self in {KeyState.EXPIRED, KeyState.REVOKED}


OVERLAPS = (timedelta(0), timedelta(hours=1), timedelta(days=1), timedelta(days=7))
"""How long the old secret can remain valid after a rotation: the choices offered to people."""

LONGEST_OVERLAP = OVERLAPS[-1]

DEFAULT_LIFE = timedelta(days=365)
"""After this time, a new key expires, unless whoever creates it says otherwise."""


@dataclass(frozen=True, slots=True)
class KeySecret:
    """The stored part of a token, which identifies the token but cannot be used in its place."""

    digest: Digest = field(repr=False)
    last_four: str
    created_at: datetime
    ends_at: datetime | None = None
    """The instant from which it is invalid; None if it is valid as long as its key."""

    @property
    def id(self) -> str:
        """An id for forms: 16 hexadecimal digits, which do not reveal the token."""
        return self.digest[:16]

    def ended_by(self, end: datetime) -> KeySecret:
        """Return the secret with this end, or with its own end if that is earlier."""
        return replace(self, ends_at=end if self.ends_at is None else min(self.ends_at, end))

    def works_at(self, instant: datetime) -> bool:
        """Return whether the secret is valid at this instant if the key is."""
        return self.ends_at is None or instant < self.ends_at


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


class KeyFields(TypedDict, total=False):
    """The fields of a key that members can change."""

    name: str
    permission: Permission
    daily_limit: int
    expires_on: date | None


_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as stored, without its token. Days are UTC; `expires_on` is its last day.

    `secrets` identify its tokens, oldest first. All of them share one limit. The methods that
    return a changed key raise KeyRevokedError if the key is revoked, which is final.
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
        is_allowed = 0 <= self.daily_limit <= HIGHEST_DAILY_LIMIT
        rules.require(is_allowed, "daily_limit", DAILY_LIMIT_RULE)
        rules.require(len(self.secrets) > 0, "secrets", "must have at least one entry")
        rules.enforce()

    @property
    def newest(self) -> KeySecret:
        return self.secrets[-1]

    @property
    def last_four(self) -> str:
        return self.newest.last_four

    @property
    def version(self) -> str:
        """16 hexadecimal digits, which change if and only if a field of `changed` does."""
        fields = (self.name, self.permission.value, self.daily_limit, self.expires_on)
        return sha256(repr(fields).encode()).hexdigest()[:16]

    def is_live(self, today: date) -> bool:
        return self.revoked_at is None and (self.expires_on is None or today <= self.expires_on)

    @property
    def opens_nothing(self) -> bool:
        """Whether its permission level or its daily limit refuses every request."""
        return self.permission is Permission.NONE or self.daily_limit == 0

    def state(self, today: date, admitted: int) -> KeyState:
        """Return the state on this day, after this number of admitted requests."""
        days_left = inf if self.expires_on is None else (self.expires_on - today).days
        most_important_first = (
            (KeyState.REVOKED, self.revoked_at is not None),
            (KeyState.EXPIRED, days_left < 0),
            (KeyState.NO_ACCESS, self.opens_nothing),
            (KeyState.LIMIT_REACHED, admitted >= self.daily_limit),
            (KeyState.NEAR_LIMIT, admitted * 100 >= self.daily_limit * NEAR_LIMIT_PERCENT),
            (KeyState.EXPIRES_SOON, days_left <= EXPIRES_SOON_DAYS),
        )
        return next((state for state, holds in most_important_first if holds), KeyState.ACTIVE)

    def check(self, digest: Digest, instant: datetime, *, to_read: bool = True) -> None:
        """Raise `InvalidApiKeyError` if the key is revoked or expired, or has no valid secret with
        this digest, and `InsufficientPermissionError` if it may not read, but is to.
        """
        works = any(secret.digest == digest and secret.works_at(instant) for secret in self.secrets)
        if not works or not self.is_live(utc_day(instant)):
            raise InvalidApiKeyError
        if to_read and self.permission is not Permission.READ:
            raise InsufficientPermissionError

    def changed(self, **fields: Unpack[KeyFields]) -> ApiKey:
        self._refuse_when_revoked()
        return replace(self, **fields)

    def rotated(self, secret: KeySecret, keep_old_for: timedelta, instant: datetime) -> ApiKey:
        """Return the key with this secret as its newest one.

        All older secrets end after `keep_old_for` (from zero to `LONGEST_OVERLAP`), or earlier if
        the key expires or an earlier rotation set an earlier end. An expired key can be rotated
        too, and remains expired.
        """
        self._refuse_when_revoked()
        if not timedelta(0) <= keep_old_for <= LONGEST_OVERLAP:
            rule = f"must be from 0 to {LONGEST_OVERLAP // _HOUR} hours"
            raise InvalidValueError([Fault("keep_old_for", rule)])
        end = self._end(instant + keep_old_for)
        # Ended secrets are removed, so that the clock of another machine, which may be slow, cannot
        # make them valid again.
        ending = (secret.ended_by(end) for secret in self.secrets)
        older = tuple(old for old in ending if old.works_at(instant))
        # Storage sorts secrets by creation, but the clock may have been set back since the last
        # one.
        created_at = max(secret.created_at, self.newest.created_at + timedelta(microseconds=1))
        return replace(self, secrets=(*older, replace(secret, created_at=created_at)))

    def ending_secrets(self, instant: datetime) -> tuple[KeySecret, ...]:
        """Return the replaced secrets that are still valid at this instant, oldest first.

        Each ends with the key at the latest.
        """
        if not self.is_live(utc_day(instant)):
            return ()
        return tuple(
            secret.ended_by(self._end(secret.ends_at))
            for secret in self.secrets[:-1]
            if secret.ends_at is not None and secret.works_at(instant)
        )

    def without_previous(self, instant: datetime) -> ApiKey:
        self._refuse_when_revoked()
        *older, newest = self.secrets
        ended = (secret for secret in older if not secret.works_at(instant))
        return replace(self, secrets=(*ended, newest))

    def revoked(self, instant: datetime) -> ApiKey:
        self._refuse_when_revoked()
        return replace(self, revoked_at=instant)

    def _end(self, end: datetime) -> datetime:
        if self.expires_on is None or utc_day(end) <= self.expires_on:
            return end
        return datetime.combine(self.expires_on + timedelta(days=1), time(), UTC)

    def _refuse_when_revoked(self) -> None:
        if self.revoked_at is not None:
            raise KeyRevokedError(self.id)
