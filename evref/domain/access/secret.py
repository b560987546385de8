"""The secrets of a key, as stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


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

    def works_at(self, instant: datetime) -> bool:
        """Return whether the secret is valid at this instant, provided that the key is."""
        return self.ends_at is None or instant < self.ends_at
