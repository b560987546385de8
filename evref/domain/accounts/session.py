"""Sessions: how long a member stays signed in in one browser."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from evref.domain.accounts.institution import Member
from evref.domain.accounts.lifetime import is_within
from evref.domain.identifiers import Digest, RandomSecret, digest_of
from evref.domain.principal import Role

SESSION_LENGTHS = {
    Role.READER: timedelta(days=30),
    Role.VIEWER: timedelta(hours=12),
    Role.ADMIN: timedelta(hours=12),
}
"""A session ends this long after its start, even if it is in use."""

MOST_SESSIONS = 20
"""The maximum per member, because a client without cookies starts one with each request."""

LONGEST_SESSION = max(SESSION_LENGTHS.values())


class SessionToken(RandomSecret):
    """The secret that identifies a session, known to one browser only."""


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a member in one browser.

    It is bound to the password hash that the member had at its start, so a new password ends all
    earlier sessions at once, without a race condition. A session `by_proxy` lasts only as long as
    the proxy names the member.
    """

    digest: Digest
    member_id: str
    password_digest: Digest
    started_at: datetime
    by_proxy: bool = False

    @classmethod
    def begin(
        cls, member: Member, token: SessionToken, instant: datetime, *, by_proxy: bool = False
    ) -> Session:
        return cls(token.digest, member.id, _password_digest(member), instant, by_proxy)

    def is_live(self, member: Member, instant: datetime) -> bool:
        return hmac.compare_digest(self.password_digest, _password_digest(member)) and is_within(
            self.started_at, SESSION_LENGTHS[member.role], instant
        )


def _password_digest(member: Member) -> Digest:
    return digest_of(member.password_hash or "")


def surplus(sessions: Iterable[Session]) -> list[Session]:
    """Return the oldest sessions of a member beyond `MOST_SESSIONS`."""
    oldest_first = sorted(sessions, key=lambda session: session.started_at)
    return oldest_first[:-MOST_SESSIONS]
