"""The words for states, levels, roles and times on these pages. Times and days are UTC."""

import re
from datetime import date, datetime, timedelta

from markupsafe import Markup, escape

from evref.adapters.inbound.web.words import day
from evref.application.access.manage_keys import KeyInUse
from evref.domain.access.key import KeyState, Permission
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.accounts.institution import LONGEST_PASSWORD, SHORTEST_PASSWORD
from evref.domain.audit import Action, AuditEntry
from evref.domain.principal import Role
from evref.domain.rules import counted

STATES = {
    KeyState.ACTIVE: ("\N{CHECK MARK}", "Active"),
    KeyState.NEAR_LIMIT: ("\N{BLACK UP-POINTING TRIANGLE}", "Near limit"),
    KeyState.LIMIT_REACHED: ("\N{BLACK SQUARE}", "Limit reached"),
    KeyState.NO_ACCESS: ("\N{DOUBLE VERTICAL LINE}", "No access (paused)"),
    KeyState.EXPIRES_SOON: ("\N{CIRCLE WITH RIGHT HALF BLACK}", "Expires soon"),
    KeyState.EXPIRED: ("\N{WHITE CIRCLE}", "Expired"),
    KeyState.REVOKED: ("\N{MULTIPLICATION X}", "Revoked"),
}
"""The sign and the name of each state."""
_MEANINGS = {
    KeyState.ACTIVE: "",
    KeyState.NEAR_LIMIT: "At least 80% of today's limit is used. Counts start again at 00:00 UTC.",
    KeyState.LIMIT_REACHED: (
        "Today's limit is used up. Further requests are refused until 00:00 UTC."
    ),
    KeyState.NO_ACCESS: (
        "Every request is refused until you change the permission level to “Read”. "
        "Requests refused because the key has no access are not counted."
    ),
    KeyState.EXPIRES_SOON: "The key stops working at the end of {last_day} (UTC).",
    KeyState.EXPIRED: (
        "The key stopped working at the end of {last_day} (UTC). "
        "It works again if you change its expiry."
    ),
    KeyState.REVOKED: "The key no longer works. Revoking is final.",
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
    Role.ADMIN: "read the catalogue, and manage keys and members",
    Role.VIEWER: "read the catalogue, and see keys, their use and the audit log",
    Role.READER: "read the catalogue",
}


def action(kind: Action) -> str:
    """Return the kind of an entry of the audit log in words, such as “Key created”."""
    known = {
        Action.CAPS_SET: "Caps on keys were changed",
        Action.SIGN_IN_SET: "Sign-in by the institution's system was changed",
        Action.SIGN_IN_REFUSED: "Sign-in refused",
    }
    return known.get(kind, kind.value.replace("_", " ").capitalize())


def detail(entry: AuditEntry) -> str:
    """Return the detail of an entry, with the number of times if it is more than one."""
    often = f", {entry.times:,} times" if entry.times and entry.times > 1 else ""
    return entry.detail + often


def address(email: str) -> Markup:
    """Return an e-mail address that can break before its @ and its dots alone, if it is long."""
    if len(email) <= _SHORT_ADDRESS and "-" not in email:
        return escape(email)
    parts = [email] if len(email) <= _SHORT_ADDRESS else re.split(r"(?=[@.])", email)
    solid = [Markup('<span class="solid">{}</span>').format(part) for part in parts]
    # In one element, because a table cell may lay out its children side by side.
    return Markup("<span>{}</span>").format(Markup("<wbr>").join(solid))


def with_addresses(text: str) -> Markup:
    """Return a text whose e-mail addresses can break as in `address`."""
    words = re.split(r"([\s,']+)", text)
    shown = Markup("").join(address(word) if "@" in word else word for word in words)
    return Markup("<span>{}</span>").format(shown)


_SHORT_ADDRESS = 24
"""The number of characters that fit on one line."""

PASSWORD_RULE = (
    f"{SHORTEST_PASSWORD} to {LONGEST_PASSWORD:,} characters of any kind, and not easy to guess: "
    "several unrelated words are best."
)
LIMIT_RULE = f"Enter a whole number from 0 to {HIGHEST_DAILY_LIMIT:,}."


def meaning(key_in_use: KeyInUse) -> str:
    """Return what the state of a key means for the programs that use it."""
    key, state = key_in_use.key, key_in_use.state
    if state is KeyState.NO_ACCESS and key.permission is not Permission.NONE:
        return "Every request is refused until you change the daily limit, which is 0."
    last_day = "never" if key.expires_on is None else day(key.expires_on)
    return _MEANINGS[state].format(last_day=last_day)


_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_UNITS = (
    # From which distance on a unit is used, its length, and its name.
    (365 * _DAY, 365 * _DAY, "year"),
    (31 * _DAY, 30 * _DAY, "month"),
    (_DAY, _DAY, "day"),
    (_HOUR, _HOUR, "hour"),
    (_MINUTE, _MINUTE, "minute"),
)


def time_in_words(at: datetime, now: datetime) -> str:
    """Return the time between an instant and now in words, rounded down to a whole unit.

    From 24 hours on, calendar days are counted.

    >>> time_in_words(datetime(2026, 11, 22, 11, 5), datetime(2026, 11, 22, 14, 30))
    '3 hours ago'
    """
    distance = at - now
    if abs(distance) >= _DAY:
        return day_in_words(at.date(), now.date())
    if abs(distance) < _MINUTE:
        return "just now" if at <= now else "in less than a minute"
    return _in_words(distance)


def day_in_words(day: date, today: date) -> str:
    """Return the distance of a day from today in days, months or years, rounded down.

    >>> day_in_words(date(2026, 11, 28), date(2026, 11, 22))
    'in 6 days'
    """
    distance = day - today
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(distance.days)
    return near or _in_words(distance)


def _in_words(distance: timedelta) -> str:
    length, unit = next((length, unit) for least, length, unit in _UNITS if abs(distance) >= least)
    words = counted(abs(distance) // length, unit)
    return f"in {words}" if distance > timedelta(0) else f"{words} ago"


def exact_time(at: datetime) -> str:
    """Return the instant to the minute.

    >>> exact_time(datetime(2026, 11, 2, 9, 5))
    '2 November 2026, 09:05 UTC'
    """
    return f"{day(at.date())}, {at:%H:%M} UTC"
