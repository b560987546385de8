"""Who keys belong to, and who manages them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from evref.domain.rules import Rules

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_EMAIL = r"[^\s@\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_EMAIL = re.compile(rf"{_IN_EMAIL}+@{_IN_EMAIL}+\.{_IN_EMAIL}+")


@dataclass(frozen=True, slots=True)
class Institution:
    """A customer of the service; its name is unique.

    Raises:
        InvalidValueError: when the name breaks a rule.

    """

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
    """A person who manages an institution's keys; the e-mail is unique, in lower case.

    `password_hash` is an argon2id string in PHC form, which the representation leaves out.

    Raises:
        InvalidValueError: when the e-mail breaks a rule.

    """

    id: str
    institution_id: str
    email: str
    password_hash: str
    created_at: datetime

    LONGEST_EMAIL = 254

    def __post_init__(self) -> None:
        rules = Rules()
        rules.require(
            is_email(self.email),
            "email",
            f"must be an e-mail address of at most {self.LONGEST_EMAIL} characters, "
            "such as name@example.org",
        )
        rules.require(self.email == self.email.lower(), "email", "must be in lower case")
        rules.enforce()

    def __repr__(self) -> str:
        return f"Member({self.email!r})"


def is_email(text: str) -> bool:
    """Whether this has the form of an e-mail address; whether one can write to it, nobody knows."""
    return len(text) <= Member.LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None


def check_password(password: str) -> None:
    """Pass silently when the password may be used.

    No kind of character is asked for (NIST SP 800-63B-4, section 3.1.1). This length is the least
    that OWASP ASVS 5.0 has (6.2.1); whether it is soon guessed says more.

    Raises:
        InvalidValueError: when it is too short or too long, or no text.

    """
    rules = Rules()
    rules.require(
        SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD,
        "password",
        f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters",
    )
    # What Python reads from bytes that are no UTF-8 could not be hashed.
    rules.require(_LONE_SURROGATE.search(password) is None, "password", "must be text in UTF-8")
    rules.enforce()
