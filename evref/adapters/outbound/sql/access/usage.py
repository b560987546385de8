"""Admission and counting in SQL: one statement, the hot path of the service."""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import (
    Date,
    String,
    TextClause,
    bindparam,
    case,
    delete,
    func,
    select,
)
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.access.keys import SqlKeys
from evref.adapters.outbound.sql.engine import SqlDatabase, SqlPart, batches
from evref.adapters.outbound.sql.tables import Instant, daily_usage
from evref.domain.access.permission import Permission
from evref.domain.access.quota import USAGE_RETENTION_DAYS, DailyWindow, DayUsage, Tally
from evref.domain.access.status import KeyStatus
from evref.domain.errors import InvalidApiKeyError, StorageUnavailableError
from evref.ports.access import usage
from evref.ports.access.admission import Admission

_IS_VALID = """
digest = :digest AND (ends_at IS NULL OR ends_at > :instant)
AND revoked_at IS NULL AND (expires_on IS NULL OR expires_on >= :day)
"""

# One atomic step looks up and checks the key, admits or refuses the request, and counts it. It
# returns no row if no active key of a sufficient level has a valid secret with the digest.
# The expressions after SET all see the row before the update: see decision 0002.
_ADMIT = """
INSERT INTO daily_usage (key_id, day, daily_limit, admitted, refused, last_admitted)
SELECT api_keys.id, :day, daily_limit,
       CASE WHEN daily_limit > 0 THEN 1 ELSE 0 END,
       CASE WHEN daily_limit > 0 THEN 0 ELSE 1 END,
       daily_limit > 0
FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id
WHERE {is_valid} AND permission IN ({levels})
ON CONFLICT (key_id, day) DO UPDATE SET
    daily_limit = excluded.daily_limit,
    admitted = daily_usage.admitted
        + CASE WHEN daily_usage.admitted < excluded.daily_limit THEN 1 ELSE 0 END,
    refused = daily_usage.refused
        + CASE WHEN daily_usage.admitted < excluded.daily_limit THEN 0 ELSE 1 END,
    last_admitted = daily_usage.admitted < excluded.daily_limit
RETURNING key_id, daily_limit, admitted, last_admitted
"""

# The limit of the day's row is not used, because it is the limit at the time of the last request.
_STATUS = (
    sql(f"""
SELECT api_keys.id, permission, expires_on, api_keys.daily_limit,
       COALESCE(admitted, 0), COALESCE(refused, 0)
FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id
LEFT JOIN daily_usage ON daily_usage.key_id = api_keys.id AND day = :day
WHERE {_IS_VALID}
""")  # noqa: S608 - no part is from outside
    .bindparams(bindparam("day", type_=Date), bindparam("instant", type_=Instant))
    .columns(expires_on=Date)
)

# Attempts: a key may change between the statement that refuses it and the query for the reason.
_ATTEMPTS = 3


def _admit_statement(needed: Permission) -> TextClause:
    levels = ", ".join(f"'{level.value}'" for level in needed.and_above())
    return sql(_ADMIT.format(is_valid=_IS_VALID, levels=levels)).bindparams(
        bindparam("day", type_=Date), bindparam("digest", type_=String)
    )


class SqlAdmission(Admission):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        self._keys = SqlKeys(database)
        self._admit = {needed: database.direct(_admit_statement(needed)) for needed in Permission}

    def admit(self, digest: str, needed: Permission, instant: datetime) -> Tally:
        in_utc = instant.astimezone(UTC)
        parameters = {
            "digest": digest,
            "day": in_utc.date(),
            # As text, which takes a third of the time of the column's type. It compares correctly
            # on PostgreSQL, and on SQLite, which stores times as text.
            "instant": in_utc.isoformat(" ", "microseconds"),
        }
        for _ in range(_ATTEMPTS):
            row = self._admit[needed](parameters)
            if row is not None:
                key_id, limit, admitted, was_admitted = row
                # SQLite has no Boolean values, only 0 and 1.
                return Tally(key_id, limit, admitted, was_admitted=bool(was_admitted))
            self._check(digest, needed, instant)
        raise StorageUnavailableError("the key went on changing while a request was admitted")

    def status(self, digest: str, instant: datetime) -> KeyStatus:
        parameters = {
            "digest": digest,
            "day": DailyWindow.of(instant).day,
            "instant": instant,
        }
        with self._database.connect() as connection:
            row = connection.execute(_STATUS, parameters).one_or_none()
        if row is None:
            raise InvalidApiKeyError
        key_id, permission, expires_on, limit, used, refused = row
        return KeyStatus(key_id, Permission(permission), expires_on, limit, used, refused, instant)

    def _check(self, digest: str, needed: Permission, instant: datetime) -> None:
        key = self._keys.by_digests([digest]).get(digest)
        if key is None:
            raise InvalidApiKeyError
        key.check(digest, needed, instant)


class SqlUsageReports(SqlPart, usage.UsageReports):
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        table = daily_usage.c
        days = (
            select(table.day, table.daily_limit, table.admitted, table.refused)
            .where(table.key_id == key_id, table.day.between(first, last))
            .order_by(table.day)
        )
        rows = self._database.find_all(days)
        return tuple(DayUsage(row.day, row.daily_limit, row.admitted, row.refused) for row in rows)

    def overview(self, key_ids: Collection[str], today: date) -> Mapping[str, usage.KeyUse]:
        table = daily_usage.c
        is_today = table.day == today
        uses = select(
            table.key_id,
            func.max(case((table.admitted > 0, table.day))).label("last_used_on"),
            func.max(case((is_today, table.daily_limit))).label("daily_limit"),
            func.max(case((is_today, table.admitted))).label("admitted"),
            func.max(case((is_today, table.refused))).label("refused"),
        ).group_by(table.key_id)
        overview = {}
        for some_ids in batches(key_ids):
            for row in self._database.find_all(uses.where(table.key_id.in_(some_ids))):
                used_today = (
                    None
                    if row.daily_limit is None
                    else DayUsage(today, row.daily_limit, row.admitted, row.refused)
                )
                overview[row.key_id] = usage.KeyUse(row.last_used_on, used_today)
        return overview

    def prune(self, today: date) -> None:
        day = daily_usage.c.day
        first = today - timedelta(days=USAGE_RETENTION_DAYS)
        oldest = select(day).where(day < first).order_by(day).limit(1)
        # One day at a time, so that no transaction blocks admission for long.
        while (row := self._database.find(oldest)) is not None:
            with self._database.transaction() as connection:
                connection.execute(delete(daily_usage).where(day == row.day))
