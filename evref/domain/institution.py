"""Who keys belong to, who manages them, and the record of what was done."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evref.domain.rules import Rules

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")


@dataclass(frozen=True, slots=True)
class Institution:
    """A customer of the service; its name is unique."""

    id: str
    name: str
    created_at: datetime

    def __post_init__(self) -> None:
        rules = Rules()
        rules.text("name", self.name, shortest=1, longest=200)
        rules.require("\n" not in self.name, "name", "must be a single line")
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Member:
    """A person who manages an institution's keys; the e-mail is unique, in lower case.

    `password_hash` is an argon2id string in PHC form.
    """

    id: str
    institution_id: str
    email: str
    password_hash: str
    created_at: datetime

    def __post_init__(self) -> None:
        rules = Rules()
        rules.require(
            len(self.email) <= 254 and _EMAIL.fullmatch(self.email) is not None,  # noqa: PLR2004
            "email",
            "must be an e-mail address of at most 254 characters, such as name@example.org",
        )
        rules.enforce()

    def __repr__(self) -> str:
        return f"Member({self.email!r})"


def check_password(password: str) -> None:
    """Pass silently when the password may be used.

    Length is what counts (NIST SP 800-63B): no rule about kinds of characters.

    Raises:
        InvalidValueError: when it is too short or too long.

    """
    rules = Rules()
    rules.require(
        SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD,
        "password",
        f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters",
    )
    rules.enforce()


class Action(StrEnum):
    """What the audit log knows to tell."""

    INSTITUTION_CREATED = "institution_created"
    MEMBER_CREATED = "member_created"
    PASSWORD_RESET = "password_reset"  # noqa: S105
    KEY_CREATED = "key_created"
    KEY_CHANGED = "key_changed"
    KEY_REVOKED = "key_revoked"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change: when, who, what, and on which key.

    `actor` is a member's e-mail, or "operator" for the command line. `detail` says in words what
    changed, from what to what; it never holds a key or a password.
    """

    at: datetime
    institution_id: str
    actor: str
    action: Action
    key_id: str | None
    detail: str
