"""The secrets of a key, as storage keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class KeySecret:
    """What is kept of one token of a key: enough to recognise it, not enough to use it.

    `digest` is the SHA-256 of the token in hexadecimal, which the representation leaves out.
    """

    digest: str = field(repr=False)
    last_four: str
    created_at: datetime
    ends_at: datetime | None = None
    """The first instant at which it no longer works; None where it works as long as its key."""

    def works_at(self, instant: datetime) -> bool:
        """Whether the secret works at this instant, as far as the key itself does."""
        return self.ends_at is None or instant < self.ends_at
