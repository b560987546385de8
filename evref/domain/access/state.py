"""The states of a key, for the people who look after it."""

from enum import StrEnum

EXPIRES_SOON_DAYS = 14
NEAR_LIMIT_PERCENT = 80


class KeyState(StrEnum):
    """The most important thing to know about a key; if several apply, the last one here."""

    ACTIVE = "active"
    EXPIRES_SOON = "expires soon"
    NEAR_LIMIT = "near limit"
    LIMIT_REACHED = "limit reached"
    NO_ACCESS = "no access"
    EXPIRED = "expired"
    REVOKED = "revoked"

    @property
    def has_ended(self) -> bool:
        """Whether no token of the key is valid."""
        return self in {KeyState.EXPIRED, KeyState.REVOKED}
