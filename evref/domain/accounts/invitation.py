"""Invitations: one-time links with which a person becomes a member."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from evref.domain.accounts.institution import check_email
from evref.domain.accounts.lifetime import is_within
from evref.domain.base62 import base62
from evref.domain.errors import NotFoundError
from evref.domain.principal import Role

INVITATION_LENGTH = timedelta(days=7)
"""An invitation ends this long after its creation."""

_PREFIX = "Join"
_SECRET_DIGITS = 48
_TOKEN = re.compile(rf"{_PREFIX}[0-9A-Za-z]{{{_SECRET_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class InvitationToken:
    """The secret in the link of an invitation: `Join` and 48 base62 digits.

    Text of this form, long and in mixed case, is what `without_keys` removes from logs and errors.
    Storage has only `digest`. The representation omits the secret.

    Raises:
        NotFoundError: If the form is wrong: there is no invitation with such a token.

    """

    text: str

    SECRETS = 62**_SECRET_DIGITS

    def __post_init__(self) -> None:
        if _TOKEN.fullmatch(self.text) is None:
            raise unknown_invitation()

    @classmethod
    def make(cls, secret: int) -> InvitationToken:
        """Return the token of a number from 0 to `SECRETS` - 1 from a cryptographic source."""
        return cls(_PREFIX + base62(secret, _SECRET_DIGITS))

    @property
    def digest(self) -> str:
        """SHA-256 of the token in hexadecimal; a fast hash suffices for 285 random bits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __repr__(self) -> str:
        return "InvitationToken(…)"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An offer to become a member of an institution, for the person who has the link.

    It is stored until it is accepted, revoked or replaced. `digest` is the digest of its token.
    `invited_by` is the name of the inviter in the audit log, and `inviter_id` the id of that
    member; None if the operator is the inviter. The e-mail is in lower case.

    Raises:
        InvalidValueError: If the e-mail breaks a rule.

    """

    id: str
    institution_id: str
    email: str
    role: Role
    digest: str = field(repr=False)
    invited_by: str
    inviter_id: str | None
    created_at: datetime

    def __post_init__(self) -> None:
        check_email(self.email)

    @property
    def ends_at(self) -> datetime:
        """The instant from which it has expired."""
        return self.created_at + INVITATION_LENGTH

    def is_open_at(self, instant: datetime) -> bool:
        """Return whether it has not expired at this instant."""
        return is_within(self.created_at, INVITATION_LENGTH, instant)


def unknown_invitation() -> NotFoundError:
    """Return the error for a link that cannot be used; it never says why, or repeats the link."""
    return NotFoundError("invitation", "…")
