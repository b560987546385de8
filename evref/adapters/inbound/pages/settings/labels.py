"""The words for states, levels, roles and times on these pages. Times and days are UTC."""

import re
from dataclasses import astuple
from datetime import date, datetime, timedelta

from markupsafe import Markup, escape

from evref.adapters.inbound.web.words import day
from evref.application.access.manage_keys import KeyInUse
from evref.domain.access.caps import CapUse
from evref.domain.access.key import KeyState, Permission
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.accounts.institution import LONGEST_PASSWORD, SHORTEST_PASSWORD
from evref.domain.audit import Action, AuditEntry
from evref.domain.principal import Role
from evref.domain.rules import counted

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
    Role.ADMIN: "read the catalogue, and manage its API keys and its members",
    Role.VIEWER: "read the catalogue, and see its API keys, their use and the audit log",
    Role.READER: "read the catalogue of diagnoses and interventions",
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


def caps(use: CapUse) -> str:
    """Return sentences on the use of the operator's caps; empty if there are no caps."""
    most, highest, total = astuple(use.caps)
    sentences = []
    if most is not None:
        are = "is" if most == 1 else "are"
        sentences.append(f"{use.live_keys:,} of {counted(most, 'key')} {are} in use.")
    if total is not None:
        of_all = counted(total, "request")
        sentences.append(f"{use.daily_limits:,} of {of_all} a day are given out.")
    if highest is not None:
        sentences.append(f"One key can have at most {counted(highest, 'request')} a day.")
    return " ".join(sentences)


def meaning(key_in_use: KeyInUse) -> str:
    """Return what the state of a key means for the programs that use it."""
    key = key_in_use.key
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
    }[key_in_use.state]


_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_DAYS_A_MONTH, _DAYS_A_YEAR = 30, 365


def time_in_words(at: datetime, now: datetime) -> str:
    """Return the time between an instant and now in words, rounded down to a whole unit.

    From 24 hours on, calendar days are counted.

    >>> time_in_words(datetime(2026, 11, 22, 11, 5), datetime(2026, 11, 22, 14, 30))
    '3 hours ago'
    """
    distance = abs(at - now)
    if distance >= _DAY:
        return day_in_words(at.date(), now.date())
    if distance < _MINUTE:
        return "just now" if at <= now else "in less than a minute"
    if distance < _HOUR:
        return _in_words(distance // _MINUTE, "minute", is_past=at < now)
    return _in_words(distance // _HOUR, "hour", is_past=at < now)


def day_in_words(day: date, today: date) -> str:
    """Return the distance of a day from today in days, months or years, rounded down.

    >>> day_in_words(date(2026, 11, 28), date(2026, 11, 22))
    'in 6 days'
    """
    distance, is_past = abs((day - today).days), day < today
    if distance == 0:
        return "today"
    if distance == 1:
        return "yesterday" if is_past else "tomorrow"
    if distance <= _DAYS_A_MONTH:
        return _in_words(distance, "day", is_past=is_past)
    if distance < _DAYS_A_YEAR:
        return _in_words(distance // _DAYS_A_MONTH, "month", is_past=is_past)
    return _in_words(distance // _DAYS_A_YEAR, "year", is_past=is_past)


def exact_time(at: datetime) -> str:
    """Return the instant to the minute.

    >>> exact_time(datetime(2026, 11, 2, 9, 5))
    '2 November 2026, 09:05 UTC'
    """
    return f"{day(at.date())}, {at:%H:%M} UTC"


def _in_words(count: int, unit: str, *, is_past: bool) -> str:
    distance = counted(count, unit)
    return f"{distance} ago" if is_past else f"in {distance}"
