"""Invitations: one-time links with which a person becomes a member."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from evref.domain.accounts.institution import check_email
from evref.domain.accounts.lifetime import is_within
from evref.domain.errors import NotFoundError
from evref.domain.identifiers import Digest, RandomSecret
from evref.domain.principal import Role

INVITATION_LENGTH = timedelta(days=7)
"""An invitation ends this long after its creation."""


class InvitationToken(RandomSecret):
    """The secret in the link of an invitation: `Join` and 48 base62 digits.

    `without_keys` removes text of this form (long and in mixed case) from logs and errors.
    """

    PREFIX = "Join"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An offer to become a member of an institution, for the person who has the link.

    It is stored until it is accepted, revoked or replaced. `invited_by` is the name of the inviter
    in the audit log, and `inviter_id` the id of that member; None if it is the operator.
    """

    id: str
    institution_id: str
    email: str
    role: Role
    digest: Digest = field(repr=False)
    invited_by: str
    inviter_id: str | None
    created_at: datetime

    def __post_init__(self) -> None:
        check_email(self.email)

    @property
    def ends_at(self) -> datetime:
        return self.created_at + INVITATION_LENGTH

    def is_open_at(self, instant: datetime) -> bool:
        return is_within(self.created_at, INVITATION_LENGTH, instant)


def unknown_invitation() -> NotFoundError:
    """Return the error for a link that cannot be used, which never gives the reason or the link."""
    return NotFoundError("invitation", "…")
