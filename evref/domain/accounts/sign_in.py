"""Signing in: how long a session lasts, and how failed attempts slow the next one."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

from evref.domain.accounts.institution import Member

SESSION_LENGTH = timedelta(hours=12)
"""A session ends this long after it began, however much it was used."""


@dataclass(frozen=True, slots=True)
class SessionToken:
    """The secret that stands for a session: 64 hexadecimal digits, held by one browser only.

    Storage keeps `digest`. The representation leaves the secret out of logs and tracebacks.
    """

    text: str

    SECRETS = 2**256

    @classmethod
    def make(cls, secret: int) -> SessionToken:
        """The token of a secret number, 0 to `SECRETS` - 1, from a cryptographic source."""
        return cls(f"{secret:064x}")

    @property
    def digest(self) -> str:
        """SHA-256 of the token in hexadecimal; a fast hash is right for 256 random bits."""
        return _digest(self.text)

    def __repr__(self) -> str:
        return "SessionToken(…)"


@dataclass(frozen=True, slots=True)
class Session:
    """A member's being signed in, in one browser.

    It is bound to the password that it began with: `password_digest` is the SHA-256 of the
    member's password hash at that time. So a new password ends every session of before at once,
    whoever sets it and whatever else happens in that moment.
    """

    digest: str
    member_id: str
    password_digest: str
    started_at: datetime

    @classmethod
    def of(cls, member: Member, token: SessionToken, instant: datetime) -> Session:
        """The session that begins now."""
        return cls(token.digest, member.id, _digest(member.password_hash), instant)

    def is_live(self, member: Member, instant: datetime) -> bool:
        """Whether the member, as storage knows them now, is still signed in."""
        return (
            hmac.compare_digest(self.password_digest, _digest(member.password_hash))
            and instant < self.started_at + SESSION_LENGTH
        )


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed attempts to sign in, of one account or from one address, and when the last was."""

    count: int = 0
    last_at: datetime | None = None

    def one_more(self, instant: datetime) -> Failures:
        return Failures(1 if self._forgotten(instant) else self.count + 1, instant)

    def one_less(self) -> Failures:
        return Failures(self.count - 1, self.last_at) if self.count > 1 else Failures()

    def _forgotten(self, instant: datetime) -> bool:
        return self.last_at is None or instant >= self.last_at + FAILURES_KEPT


FAILURES_KEPT = timedelta(minutes=15)
"""Failures are forgotten when there was none for this long."""


@dataclass(frozen=True, slots=True)
class Slowdown:
    """So many failures are free; the next attempt waits, and with each failure twice as long.

    A minute is long for whoever guesses, and short enough that nobody can lock a member out by
    failing in their name.
    """

    free: int

    FIRST_WAIT = timedelta(seconds=5)
    LONGEST_WAIT = timedelta(minutes=1)

    def wait(self, failures: Failures, instant: datetime) -> timedelta:
        """How long the next attempt has to wait, from this instant on; zero when it need not."""
        if failures.last_at is None or failures.count < self.free:
            return timedelta(0)
        # Beyond a few doublings the wait is the longest anyway.
        doublings = min(failures.count - self.free, 10)
        pause = min(self.FIRST_WAIT * (1 << doublings), self.LONGEST_WAIT)
        # Never longer than the pause, also when the clock was set back since the last failure.
        return min(max(failures.last_at + pause - instant, timedelta(0)), pause)


OF_AN_ACCOUNT = Slowdown(free=5)
OF_AN_ADDRESS = Slowdown(free=20)
"""Higher, because a whole institution may reach the service from one address."""


def account_name(email: str) -> str:
    """What the failures of an account are counted under; also where there is no such account."""
    return "account:" + _digest(email)


def address_name(address: str) -> str:
    """What the failures from an IP address are counted under; an IPv6 network /64 is one."""
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
