"""Institutions, which own keys, and their members, who see or manage the keys."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime

from evref.domain.errors import Fault
from evref.domain.principal import InstitutionMember, Role
from evref.domain.rules import Rules

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_EMAIL = r"[^\s@\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_NAMED_EMAIL = re.compile(r"[^<>@]*<([^<>]*)>")
_EMAIL = re.compile(rf"{_IN_EMAIL}+@{_IN_EMAIL}+\.{_IN_EMAIL}+")


@dataclass(frozen=True, slots=True)
class Institution:
    """A customer of the service; its name is unique."""

    id: str
    name: str
    created_at: datetime

    LONGEST_NAME = 200

    def __post_init__(self) -> None:
        rules = Rules()
        rules.name("name", self.name, longest=self.LONGEST_NAME)
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Member:
    """A person with a role in an institution; the e-mail is unique and in lower case.

    `password_hash` is an argon2id string in PHC format, or None if the member has no password and
    is signed in by a proxy; the representation omits it.
    """

    id: str
    institution_id: str
    email: str
    role: Role
    password_hash: str | None = field(repr=False)
    created_at: datetime

    LONGEST_EMAIL = 254

    def __post_init__(self) -> None:
        check_email(self.email)

    @property
    def principal(self) -> InstitutionMember:
        return InstitutionMember(self.id, self.email, self.institution_id, self.role)


def is_email(text: str) -> bool:
    return len(text) <= Member.LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None


def normalised_email(text: str) -> str:
    """Return the form in which an e-mail address is stored and compared.

    A mail program may have copied it with the name of the person.

    >>> normalised_email("Anna Weber <Anna.Weber@example.org>")
    'anna.weber@example.org'
    """
    if (named := _NAMED_EMAIL.fullmatch(text.strip())) is not None:
        text = named[1]
    return unicodedata.normalize("NFC", text.strip().lower())


def normalised_name(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def check_email(email: str) -> None:
    """Raise `InvalidValueError` unless this is an e-mail address in lower case."""
    rules = Rules()
    rules.require(
        is_email(email),
        "email",
        f"must be an e-mail address of at most {Member.LONGEST_EMAIL} characters, "
        "such as name@example.org",
    )
    rules.require(email == email.lower(), "email", "must be in lower case")
    rules.visible("email", email)
    rules.enforce()


def password_faults(password: str, repeated: str | None = None) -> list[Fault]:
    """Return the errors in the length and encoding of a password, and in its repetition.

    There are no rules on kinds of characters (NIST SP 800-63B-4, section 3.1.1). The shortest
    length is from OWASP ASVS 5.0 (6.2.1); guessability is checked elsewhere.
    """
    faults = []
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        rule = f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
        faults.append(Fault("password", rule))
    # Python reads invalid UTF-8 as surrogates, which cannot be hashed.
    if _LONE_SURROGATE.search(password):
        faults.append(Fault("password", "must be valid UTF-8"))
    if repeated not in {None, password}:
        message = "The passwords do not match. Type the same password twice."
        faults.append(Fault("repeated", message))
    return faults
