"""The wording of the states and permission levels of keys on these pages."""

from datetime import timedelta

from evref.adapters.inbound.pages.catalogue.words import day
from evref.application.access.manage_keys import KeyInUse
from evref.domain.access.caps import KeyCaps
from evref.domain.access.permission import Permission
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.access.state import KeyState
from evref.domain.principal import Role

STATES = {
    KeyState.ACTIVE: "Active",
    KeyState.NEAR_LIMIT: "Near limit",
    KeyState.LIMIT_REACHED: "Limit reached",
    KeyState.NO_ACCESS: "No access (paused)",
    KeyState.EXPIRES_SOON: "Expires soon",
    KeyState.EXPIRED: "Expired",
    KeyState.REVOKED: "Revoked",
}
SIGNS = {
    KeyState.ACTIVE: "\N{CHECK MARK}",
    KeyState.NEAR_LIMIT: "\N{BLACK UP-POINTING TRIANGLE}",
    KeyState.LIMIT_REACHED: "\N{BLACK SQUARE}",
    KeyState.NO_ACCESS: "\N{DOUBLE VERTICAL LINE}",
    KeyState.EXPIRES_SOON: "\N{CIRCLE WITH RIGHT HALF BLACK}",
    KeyState.EXPIRED: "\N{WHITE CIRCLE}",
    KeyState.REVOKED: "\N{MULTIPLICATION X}",
}
LEVELS = {Permission.READ: "Read", Permission.NONE: "No access (paused)"}
LEVELS_IN_FULL = {
    Permission.READ: "Read: diagnoses and interventions",
    Permission.NONE: "No access (paused): every request is refused",
}

OVERLAPS = {
    timedelta(0): "Not at all: it stops working within a second",
    timedelta(hours=1): "One hour",
    timedelta(days=1): "One day",
    timedelta(days=7): "Seven days",
}

ROLES = {Role.ADMIN: "an admin", Role.VIEWER: "a viewer", Role.READER: "a reader"}
ROLES_ALLOW = {
    Role.ADMIN: "manage its API keys and its members",
    Role.VIEWER: "see its API keys, their use and the audit log",
    Role.READER: "read the catalogue of diagnoses and interventions",
}

LIMIT_RULE = f"Enter a whole number from 0 to {HIGHEST_DAILY_LIMIT:,}."


def caps(of: KeyCaps) -> str:
    """Return what the operator allows, as a sentence; empty if there are no caps."""
    parts = [
        text
        for cap, text in (
            (of.most_keys, f"{of.most_keys} live keys"),
            (of.highest_daily_limit, f"{of.highest_daily_limit or 0:,} requests a day for one key"),
            (of.total_daily_limit, f"{of.total_daily_limit or 0:,} a day for all keys together"),
        )
        if cap is not None
    ]
    return f"Your operator allows at most {'; '.join(parts)}." if parts else ""


def meaning(found: KeyInUse) -> str:
    """Return what the state of a key means for the programs that use it."""
    key = found.key
    last_day = "never" if key.expires_on is None else day(key.expires_on)
    no_access = (
        "Every request is refused until you change the permission level to “Read”. "
        "Requests refused because the key has no access are not counted."
        if key.permission is Permission.NONE
        else "Every request is refused until you change the daily limit, which is 0."
    )
    return {
        KeyState.ACTIVE: "",
        KeyState.NEAR_LIMIT: (
            "At least 80% of today's limit is used. Counts start again at 00:00 UTC."
        ),
        KeyState.LIMIT_REACHED: (
            "Today's limit is used up. Further requests are refused until 00:00 UTC."
        ),
        KeyState.NO_ACCESS: no_access,
        KeyState.EXPIRES_SOON: f"The key stops working at the end of {last_day} (UTC).",
        KeyState.EXPIRED: (
            f"The key stopped working at the end of {last_day} (UTC). "
            "It works again if you change its expiry."
        ),
        KeyState.REVOKED: "The key no longer works. Revoking is final.",
    }[found.state]
