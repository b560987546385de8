"""Delays after failed attempts to sign in; known devices have their own."""

from __future__ import annotations

import hmac
import ipaddress
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from evref.domain.accounts.institution import Member
from evref.domain.accounts.lifetime import CLOCK_DIFFERENCE, is_within
from evref.domain.identifiers import digest_of

DEVICE_LENGTH = timedelta(days=180)
"""A device is known for this time after the last sign-in on it."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser in which a member signed in: guesses on other devices cannot lock the member out.

    `binding` binds it to the member and the password; it reveals neither.
    """

    id: str
    binding: str
    known_since: datetime

    IDS = 2**128

    @classmethod
    def make(cls, member: Member, number: int, instant: datetime) -> Device:
        return cls(f"{number:032x}", _binding(member), instant)

    def is_known(self, member: Member, instant: datetime) -> bool:
        """Return whether the member signed in here with the password as stored now."""
        return hmac.compare_digest(self.binding, _binding(member)) and is_within(
            self.known_since, DEVICE_LENGTH, instant
        )


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed attempts to sign in that are counted under a name, and the instant of the last one."""

    name: str
    failures: int = 0
    last_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A delay after `free` failures, which doubles with each further failure.

    Failures are forgotten after the time `kept` without another failure and, if `is_reset`, after
    the right password.
    """

    kind: str
    free: int
    kept: timedelta = timedelta(minutes=15)
    is_reset: bool = False

    FIRST_WAIT = timedelta(seconds=5)
    LONGEST_WAIT = timedelta(minutes=1)

    def name(self, text: str) -> str:
        """Return the name under which failures are counted; it does not reveal the text."""
        return f"{self.kind}:{digest_of(text)}"

    def wait(self, counted: Failures, instant: datetime) -> timedelta:
        """Return the delay of the next attempt, from this instant; zero if it may be made now."""
        if counted.last_at is None or counted.failures < self.free:
            return timedelta(0)
        if counted.last_at > instant + CLOCK_DIFFERENCE:
            return timedelta(0)
        # A few doublings already reach the longest delay.
        doublings = min(counted.failures - self.free, 10)
        pause = min(self.FIRST_WAIT * (1 << doublings), self.LONGEST_WAIT)
        return min(max(counted.last_at + pause - instant, timedelta(0)), pause)

    def one_more(self, counted: Failures, instant: datetime) -> Failures:
        if counted.last_at is None or instant >= counted.last_at + self.kept:
            return replace(counted, failures=1, last_at=instant)
        return replace(counted, failures=counted.failures + 1, last_at=instant)

    def forgiven(self, counted: Failures) -> Failures:
        """Return the failures without the last attempt, which had the right password."""
        if self.is_reset or counted.failures <= 1:
            return Failures(counted.name)
        return replace(counted, failures=counted.failures - 1)


PER_ACCOUNT = Slowdown("account", free=5, is_reset=True)
PER_ADDRESS = Slowdown("address", free=20)
"""The limit for an address, which a whole institution may share.

A sign-in does not reset it, because a member could then guess passwords of other accounts between
sign-ins.
"""
PER_DEVICE = Slowdown("device", free=5, kept=DEVICE_LENGTH)

MOST_DEVICE_FAILURES = 10
"""After this number of failures, a device is no longer known."""


def network(address: str) -> str:
    """Return the IPv4 address or the IPv6 /64, whose addresses one person may control.

    Proxies also write `192.0.2.1:5678`, `[2001:db8::1]:5678`, `"[2001:db8::1]"` and `fe80::1%eth0`:
    the port and the zone are ignored.
    """
    parsed = _ip_address(address)
    if parsed is None:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return str(ipaddress.ip_network((parsed.packed, 64), strict=False))
        parsed = parsed.ipv4_mapped
    return str(parsed)


def _ip_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    text = text.strip(' "')
    in_brackets = text[1:].partition("]")[0] if text.startswith("[") else text
    for candidate in (in_brackets, in_brackets.rpartition(":")[0]):
        with suppress(ValueError):
            return ipaddress.ip_address(candidate)
    return None


def _binding(member: Member) -> str:
    return digest_of(f"{member.id}:{member.password_hash}")
