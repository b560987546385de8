"""Admission and counts: the key is read and the request counted in one transaction."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

from evref.domain.access.key import ApiKey
from evref.domain.access.quota import (
    USAGE_RETENTION_DAYS,
    DayUsage,
    Quota,
    QuotaExceededError,
    utc_day,
)
from evref.ports.access import Admission, UsageReports
from evref_own_keys.database import Database
from evref_own_keys.keys import with_digest

_DAYS = """
SELECT day, daily_limit, admitted, refused FROM counts
WHERE key_id = ? AND day BETWEEN ? AND ? ORDER BY day
"""
_LAST_USE = """
SELECT key_id, max(CASE WHEN admitted > 0 THEN day END) FROM counts
WHERE key_id IN (SELECT value FROM json_each(?)) GROUP BY key_id
"""


class OwnAdmission(Admission):
    """Admits requests one after another."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def admit(self, digest: str, instant: datetime) -> Quota:
        day = utc_day(instant)
        with self._database.transaction() as connection:
            key = _checked(connection, digest, instant)
            before = _usage(connection, key.id, day) or DayUsage(day, 0, 0, 0)
            fits = before.admitted < key.daily_limit
            admitted, refused = before.admitted + fits, before.refused + (not fits)
            connection.execute(
                "INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, ?)",
                [key.id, day.isoformat(), key.daily_limit, admitted, refused],
            )
        quota = Quota(key.id, key.daily_limit, admitted, instant)
        if not fits:
            raise QuotaExceededError(quota)
        return quota


class OwnUsageReports(UsageReports):
    """Reports what was counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        with self._database.connect() as connection:
            return _days(connection, key_id, first, last)

    def overview(
        self, key_ids: Collection[str], today: date
    ) -> Mapping[str, tuple[date | None, DayUsage | None]]:
        with self._database.connect() as connection:
            last_uses = connection.execute(_LAST_USE, [json.dumps([*key_ids])]).fetchall()
            return {
                key_id: (
                    None if last is None else date.fromisoformat(last),
                    _usage(connection, key_id, today),
                )
                for key_id, last in last_uses
            }

    def prune(self, today: date) -> None:
        first = today - timedelta(days=USAGE_RETENTION_DAYS)
        with self._database.connect() as connection:
            connection.execute("DELETE FROM counts WHERE day < ?", [first.isoformat()])


def _checked(connection: sqlite3.Connection, digest: str, instant: datetime) -> ApiKey:
    key = with_digest(connection, digest)
    key.check(digest, instant)
    return key


def _usage(connection: sqlite3.Connection, key_id: str, day: date) -> DayUsage | None:
    return next(iter(_days(connection, key_id, day, day)), None)


def _days(
    connection: sqlite3.Connection, key_id: str, first: date, last: date
) -> tuple[DayUsage, ...]:
    rows = connection.execute(_DAYS, [key_id, first.isoformat(), last.isoformat()])
    return tuple(DayUsage(date.fromisoformat(day), *counts) for day, *counts in rows)
