"""API keys in SQL, with their secrets; admission and counting in one statement, the hot path."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import (
    Row,
    Select,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.engine import Source, SqlDatabase, SqlPart, Transaction
from evref.adapters.outbound.sql.tables import (
    api_keys,
    daily_usage,
    institutions,
    key_caps,
    key_secrets,
    written,
)
from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey, KeySecret
from evref.domain.access.quota import (
    USAGE_RETENTION_DAYS,
    DayUsage,
    Quota,
    QuotaExceededError,
)
from evref.domain.errors import InvalidApiKeyError, NotFoundError, StorageUnavailableError
from evref.ports.access import Admission, KeyChanges, Keys, UsageReports

# One row for each secret, each with its key; the rows of a key are adjacent.
_WHOLE = (
    select(
        api_keys,
        key_secrets.c.digest,
        key_secrets.c.last_four,
        key_secrets.c.created_at.label("secret_created_at"),
        key_secrets.c.ends_at,
    )
    .join_from(api_keys, key_secrets)
    .order_by(api_keys.c.id)
)


class SqlKeys(Keys):
    def __init__(self, source: Source) -> None:
        self._source = source

    def get(self, key_id: str) -> ApiKey:
        for key in self._oldest_first(_WHOLE.where(api_keys.c.id == key_id)):
            return key
        raise NotFoundError("API key", key_id)

    def with_digest(self, digest: str) -> ApiKey:
        owner = select(key_secrets.c.key_id).where(key_secrets.c.digest == digest)
        for key in self._oldest_first(_WHOLE.where(api_keys.c.id.in_(owner))):
            return key
        raise InvalidApiKeyError

    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        query = _WHOLE
        if institution_id is not None:
            query = query.where(api_keys.c.institution_id == institution_id)
        return self._oldest_first(query)

    def caps(self, institution_id: str) -> KeyCaps:
        query = select(key_caps).where(key_caps.c.institution_id == institution_id)
        row = self._source.find(query)
        if row is None:
            return KeyCaps()
        return KeyCaps(row.most_keys, row.highest_daily_limit, row.total_daily_limit)

    def _oldest_first(self, query: Select[Any]) -> tuple[ApiKey, ...]:
        rows = self._source.find_all(query)
        # Sorted here and not by the database, whose collation may differ.
        keys = (_key(list(of_key)) for _, of_key in groupby(rows, key=lambda row: row.id))
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.id)))


class SqlKeyChanges(SqlKeys, KeyChanges):
    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        self._transaction = transaction

    def add(self, key: ApiKey) -> None:
        self._require(key.institution_id)
        with self._transaction.unique("API key", key.id) as connection:
            connection.execute(insert(api_keys).values(written(api_keys, key)))
            self._write_secrets(key)

    def get(self, key_id: str) -> ApiKey:
        query = select(api_keys.c.id).where(api_keys.c.id == key_id)
        # SQLite has no FOR UPDATE; its transaction already holds the write lock.
        self._transaction.find(query.with_for_update())
        return super().get(key_id)

    def caps(self, institution_id: str) -> KeyCaps:
        # The institution is locked: before the first caps, there is no other row to lock.
        query = select(institutions.c.id).where(institutions.c.id == institution_id)
        self._transaction.find(query.with_for_update(key_share=True))
        return super().caps(institution_id)

    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        self._require(institution_id)
        connection, row = self._transaction.connection, asdict(caps)
        statement = update(key_caps).where(key_caps.c.institution_id == institution_id)
        if connection.execute(statement.values(row)).rowcount == 0:
            connection.execute(insert(key_caps).values(institution_id=institution_id, **row))

    def _require(self, institution_id: str) -> None:
        owner = select(institutions.c.id).where(institutions.c.id == institution_id)
        self._transaction.get(owner, "institution", institution_id)

    def replace(self, key: ApiKey) -> None:
        connection = self._transaction.connection
        connection.execute(
            update(api_keys).where(api_keys.c.id == key.id).values(written(api_keys, key))
        )
        connection.execute(delete(key_secrets).where(key_secrets.c.key_id == key.id))
        self._write_secrets(key)

    def _write_secrets(self, key: ApiKey) -> None:
        rows = [{"key_id": key.id, **asdict(secret)} for secret in key.secrets]
        self._transaction.connection.execute(insert(key_secrets), rows)


def _key(rows: list[Row[Any]]) -> ApiKey:
    row = rows[0]
    secrets = [
        KeySecret(row.digest, row.last_four, row.secret_created_at, row.ends_at) for row in rows
    ]
    oldest_first = sorted(secrets, key=lambda secret: (secret.created_at, secret.digest))
    return ApiKey(**written(api_keys, row), secrets=tuple(oldest_first))


# One atomic step looks up and checks the key, admits or refuses the request, and counts it. It
# returns no row if no active key that may read has a valid secret with the digest.
# The expressions after SET all see the row before the update: see decision 0002.
_ADMIT = sql("""
INSERT INTO daily_usage (key_id, day, daily_limit, admitted, refused, last_admitted)
SELECT api_keys.id, :day, daily_limit,
       CASE WHEN daily_limit > 0 THEN 1 ELSE 0 END,
       CASE WHEN daily_limit > 0 THEN 0 ELSE 1 END,
       daily_limit > 0
FROM key_secrets JOIN api_keys ON api_keys.id = key_secrets.key_id
WHERE digest = :digest AND (ends_at IS NULL OR ends_at > :instant)
    AND revoked_at IS NULL AND (expires_on IS NULL OR expires_on >= :day)
    AND permission = 'read'
ON CONFLICT (key_id, day) DO UPDATE SET
    daily_limit = excluded.daily_limit,
    admitted = daily_usage.admitted
        + CASE WHEN daily_usage.admitted < excluded.daily_limit THEN 1 ELSE 0 END,
    refused = daily_usage.refused
        + CASE WHEN daily_usage.admitted < excluded.daily_limit THEN 0 ELSE 1 END,
    last_admitted = daily_usage.admitted < excluded.daily_limit
RETURNING key_id, daily_limit, admitted, last_admitted
""")

# SQLite allows 32,766 parameters. Far below that, no statement takes long.
_KEYS_AT_ONCE = 1000

# Attempts: a key may change between the statement that refuses it and the query for the reason.
_ATTEMPTS = 3


class SqlAdmission(Admission):
    def __init__(self, database: SqlDatabase) -> None:
        self._keys = SqlKeys(database)
        self._admit = database.direct(_ADMIT)

    def admit(self, digest: str, instant: datetime) -> Quota:
        in_utc = instant.astimezone(UTC)
        parameters = {
            "digest": digest,
            # As text, which compares correctly on PostgreSQL, and on SQLite, which stores text.
            "day": in_utc.date().isoformat(),
            "instant": in_utc.isoformat(" ", "microseconds"),
        }
        for _ in range(_ATTEMPTS):
            row = self._admit(parameters)
            if row is not None:
                key_id, limit, admitted, was_admitted = row
                quota = Quota(key_id, limit, admitted, instant)
                if not was_admitted:
                    raise QuotaExceededError(quota)
                return quota
            self._keys.with_digest(digest).check(digest, instant)
        raise StorageUnavailableError("the key went on changing while a request was admitted")


class SqlUsageReports(SqlPart, UsageReports):
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        table = daily_usage.c
        days = (
            select(table.day, table.daily_limit, table.admitted, table.refused)
            .where(table.key_id == key_id, table.day.between(first, last))
            .order_by(table.day)
        )
        rows = self._database.find_all(days)
        return tuple(DayUsage(row.day, row.daily_limit, row.admitted, row.refused) for row in rows)

    def overview(
        self, key_ids: Collection[str], today: date
    ) -> Mapping[str, tuple[date | None, DayUsage | None]]:
        table = daily_usage.c
        is_today = table.day == today
        uses = select(
            table.key_id,
            func.max(case((table.admitted > 0, table.day))).label("last_used_on"),
            func.max(case((is_today, table.daily_limit))).label("daily_limit"),
            func.max(case((is_today, table.admitted))).label("admitted"),
            func.max(case((is_today, table.refused))).label("refused"),
        ).group_by(table.key_id)
        overview, ids = {}, [*key_ids]
        for start in range(0, len(ids), _KEYS_AT_ONCE):
            batch = ids[start : start + _KEYS_AT_ONCE]
            for row in self._database.find_all(uses.where(table.key_id.in_(batch))):
                used_today = (
                    None
                    if row.daily_limit is None
                    else DayUsage(today, row.daily_limit, row.admitted, row.refused)
                )
                overview[row.key_id] = (row.last_used_on, used_today)
        return overview

    def prune(self, today: date) -> None:
        day = daily_usage.c.day
        first = today - timedelta(days=USAGE_RETENTION_DAYS)
        oldest = select(day).where(day < first).order_by(day).limit(1)
        # One day at a time, so that no transaction blocks admission for long.
        while (row := self._database.find(oldest)) is not None:
            with self._database.transaction() as connection:
                connection.execute(delete(daily_usage).where(day == row.day))
