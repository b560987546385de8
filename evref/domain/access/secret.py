"""The secrets of a key, as stored, and how long an old one can outlive a rotation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

OVERLAPS = (timedelta(0), timedelta(hours=1), timedelta(days=1), timedelta(days=7))
"""How long the old secret can remain valid after a rotation: the choices offered to people."""

LONGEST_OVERLAP = OVERLAPS[-1]


@dataclass(frozen=True, slots=True)
class KeySecret:
    """The stored part of a token: enough to identify it, not enough to use it.

    `digest` is the SHA-256 of the token in hexadecimal; the representation omits it.
    """

    digest: str = field(repr=False)
    last_four: str
    created_at: datetime
    ends_at: datetime | None = None
    """The instant from which it is invalid; None if it is valid as long as its key."""

    @property
    def id(self) -> str:
        """An id that forms may contain: 16 hexadecimal digits, from which nobody gets the token."""
        return self.digest[:16]

    def ended_by(self, end: datetime) -> KeySecret:
        """Return the secret with this end, or with its own if that is earlier."""
        return replace(self, ends_at=end if self.ends_at is None else min(self.ends_at, end))

    def works_at(self, instant: datetime) -> bool:
        """Return whether the secret is valid at this instant, provided that the key is."""
        return self.ends_at is None or instant < self.ends_at


@dataclass(frozen=True, slots=True)
class EndingSecret:
    """A replaced secret that is still valid, and the instant from which it is not."""

    last_four: str
    ends_at: datetime
