"""Signing in: the lifetime of sessions, and delays after failed attempts."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

from evref.domain.accounts.institution import Member

SESSION_LENGTH = timedelta(hours=12)
"""A session ends this long after its start, even if it is in use."""


@dataclass(frozen=True, slots=True)
class SessionToken:
    """The secret that identifies a session: 64 hexadecimal digits, known to one browser only.

    Storage has only `digest`. The representation omits the secret, for logs and tracebacks.
    """

    text: str

    SECRETS = 2**256

    @classmethod
    def make(cls, secret: int) -> SessionToken:
        """Return the token of a number from 0 to `SECRETS` - 1 from a cryptographic source."""
        return cls(f"{secret:064x}")

    @property
    def digest(self) -> str:
        """SHA-256 of the token in hexadecimal; a fast hash suffices for 256 random bits."""
        return _digest(self.text)

    def __repr__(self) -> str:
        return "SessionToken(…)"


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a member in one browser.

    A session is bound to the password of its start: `password_digest` is the SHA-256 of the
    member's password hash at that time. So a new password ends all earlier sessions at once,
    without a race.
    """

    digest: str
    member_id: str
    password_digest: str
    started_at: datetime

    @classmethod
    def of(cls, member: Member, token: SessionToken, instant: datetime) -> Session:
        """Return the session that starts at this instant."""
        return cls(token.digest, member.id, _digest(member.password_hash), instant)

    def is_live(self, member: Member, instant: datetime) -> bool:
        """Return whether the session is still valid for the member as stored now."""
        return (
            hmac.compare_digest(self.password_digest, _digest(member.password_hash))
            and instant < self.started_at + SESSION_LENGTH
        )


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed attempts to sign in to one account or from one address, and the last instant."""

    count: int = 0
    last_at: datetime | None = None

    def one_more(self, instant: datetime) -> Failures:
        return Failures(1 if self._forgotten(instant) else self.count + 1, instant)

    def one_less(self) -> Failures:
        return Failures(self.count - 1, self.last_at) if self.count > 1 else Failures()

    def _forgotten(self, instant: datetime) -> bool:
        return self.last_at is None or instant >= self.last_at + FAILURES_KEPT


FAILURES_KEPT = timedelta(minutes=15)
"""Failures are forgotten this long after the last one."""


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A delay after `free` failures, which doubles with each further failure.

    A minute is long for an attacker, and short enough that nobody can lock a member out with
    failed attempts.
    """

    free: int

    FIRST_WAIT = timedelta(seconds=5)
    LONGEST_WAIT = timedelta(minutes=1)

    def wait(self, failures: Failures, instant: datetime) -> timedelta:
        """Return the delay of the next attempt, from this instant; zero if there is none."""
        if failures.last_at is None or failures.count < self.free:
            return timedelta(0)
        # A few doublings already reach the longest delay.
        doublings = min(failures.count - self.free, 10)
        pause = min(self.FIRST_WAIT * (1 << doublings), self.LONGEST_WAIT)
        # At most the pause, even if the clock was set back after the last failure.
        return min(max(failures.last_at + pause - instant, timedelta(0)), pause)


OF_AN_ACCOUNT = Slowdown(free=5)
OF_AN_ADDRESS = Slowdown(free=20)
"""Higher, because a whole institution may reach the service from one address."""


def account_name(email: str) -> str:
    """Return the name under which failures of an account are counted, even if it does not exist."""
    return "account:" + _digest(email)


def address_name(address: str) -> str:
    """Return the name under which failures from an IP address or IPv6 /64 are counted."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "address:" + _digest(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            network = ipaddress.ip_network((parsed.packed, 64), strict=False)
            return "address:" + _digest(str(network))
        parsed = parsed.ipv4_mapped
    return "address:" + _digest(str(parsed))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
