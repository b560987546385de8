"""Institutions and their people as records, and the checks of passwords."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn, SignInDomain
from evref.domain.accounts.session import Session
from evref.domain.accounts.slowdown import Failures
from evref.domain.identifiers import SharedSecret

Record = TypeVar("Record")


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind(Generic[Record]):
    """A kind of record: a frozen dataclass, and what storage must know of its fields."""

    name: str
    """The name in errors."""
    record: type[Record]
    id: str
    """The field that identifies a record; it is text, and never changes."""
    unique: str = ""
    """Another field, if there is one, whose value no two records share."""
    indexed: tuple[str, ...] = ()
    """The other fields by which records are found without reading all."""
    since: str = ""
    """The field with the time that `remove_older` compares."""

    def label(self, record: Record) -> str:
        """Return the value that names a record in errors."""
        return str(getattr(record, self.unique or self.id))


INSTITUTIONS = Kind(name="institution", record=Institution, id="id", unique="name")
MEMBERS = Kind(name="member", record=Member, id="id", unique="email", indexed=("institution_id",))
INVITATIONS = Kind(
    name="invitation",
    record=Invitation,
    id="id",
    unique="digest",
    indexed=("institution_id",),
)
SESSIONS = Kind(
    name="session", record=Session, id="digest", indexed=("member_id",), since="started_at"
)
ATTEMPTS = Kind(name="sign-in attempts", record=Failures, id="name", since="last_at")
PROXY_SIGN_INS = Kind(
    name="sign-in by a proxy", record=ProxySignIn, id="institution_id", unique="digest"
)
# There are few domains, so none of their other fields has an index.
SIGN_IN_DOMAINS = Kind(name="domain", record=SignInDomain, id="domain")
SECRETS = Kind(name="secret", record=SharedSecret, id="name")

KINDS: tuple[Kind[Any], ...] = (
    INSTITUTIONS,
    MEMBERS,
    INVITATIONS,
    SESSIONS,
    ATTEMPTS,
    PROXY_SIGN_INS,
    SIGN_IN_DOMAINS,
    SECRETS,
)
"""All kinds. A record that refers to another comes after it, as a member after the institution."""


class Records(ABC):
    """Finds records by the values of their fields, which are compared exactly."""

    @abstractmethod
    def get(self, kind: Kind[Record], record_id: str) -> Record:
        """Return the record with this id, or raise `NotFoundError`."""

    @abstractmethod
    def find(self, kind: Kind[Record], **fields: object) -> tuple[Record, ...]:
        """Return the records with these values, ordered by id, by Unicode code points."""


class RecordChanges(Records):
    """Changes records, as part of a unit of work, whose changes `get` and `find` include.

    The keeper of a rule, a use case, locks what the rule reads. What refers to a record is added
    while the record is locked, and removed before it.
    """

    @abstractmethod
    def lock(self, kind: Kind[Record], record_id: str) -> Record:
        """Return the record with this id, which no other unit locks, changes or removes until this
        one ends. It waits for a unit that does, and then returns what that has left.

        If there is none, raise `NotFoundError`.
        """

    @abstractmethod
    def add(self, kind: Kind[Record], record: Record) -> None:
        """Store a new record.

        If a record has the same id or the same unique field, raise `AlreadyExistsError`.
        """

    @abstractmethod
    def replace(self, kind: Kind[Record], record: Record) -> None:
        """Store the record in place of the one with its id, which this unit has locked."""

    @abstractmethod
    def remove(self, kind: Kind[Any], record_id: str) -> None:
        """Remove the record with this id, if there is one."""

    @abstractmethod
    def remove_older(self, kind: Kind[Any], instant: datetime, *, prefix: str = "") -> None:
        """Remove the records from before this time whose id begins with the prefix.

        Records that another unit has locked stay.
        """


class PasswordHasher(ABC):
    """Hashes passwords with a slow function (argon2id, RFC 9106), one call at a time."""

    @abstractmethod
    def hash(self, password: str) -> str:
        """Return a new salted hash in PHC string format, different each time."""

    @abstractmethod
    def verify(self, password: str, password_hash: str | None) -> bool:
        """Return whether the hash is of this password.

        If the hash is None, return False after the same time as for a wrong password, so that the
        timing does not reveal who has an account.
        """


class PasswordGuesser(ABC):
    @abstractmethod
    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        """Return whether the password is among the first million guesses of an attacker who has
        lists of common and leaked passwords and knows these words about its owner.

        Only the first 40 characters count: an estimate takes longer for longer text.
        """
