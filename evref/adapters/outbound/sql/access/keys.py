"""API keys in SQL, with their secrets."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from evref.adapters.outbound.sql.engine import Source, Transaction, batches
from evref.adapters.outbound.sql.tables import (
    api_keys,
    institutions,
    key_caps,
    key_secrets,
    written,
)
from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.access.secret import KeySecret
from evref.domain.errors import NotFoundError
from evref.ports.access.keys import KeyChanges, Keys

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
        found = _ordered(self._source.find_all(_WHOLE.where(api_keys.c.id == key_id)))
        if not found:
            raise NotFoundError("API key", key_id)
        return found[0]

    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        by_digest: dict[str, ApiKey] = {}
        for some in batches(digests):
            their_keys = select(key_secrets.c.key_id).where(key_secrets.c.digest.in_(some))
            rows = self._source.find_all(_WHOLE.where(api_keys.c.id.in_(their_keys)))
            for key in _ordered(rows):
                by_digest |= {secret.digest: key for secret in key.secrets}
        return {digest: by_digest[digest] for digest in digests if digest in by_digest}

    def list(self) -> tuple[ApiKey, ...]:
        return _ordered(self._source.find_all(_WHOLE))

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        its_own = api_keys.c.institution_id == institution_id
        return _ordered(self._source.find_all(_WHOLE.where(its_own)))

    def caps(self, institution_id: str) -> KeyCaps:
        wanted = select(key_caps).where(key_caps.c.institution_id == institution_id)
        row = self._source.find(wanted)
        if row is None:
            return KeyCaps()
        return KeyCaps(row.most_keys, row.highest_daily_limit, row.total_daily_limit)


class SqlKeyChanges(SqlKeys, KeyChanges):
    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        self._transaction = transaction

    def add(self, key: ApiKey) -> None:
        self._require(key.institution_id)
        with self._transaction.database.unique("API key", key.id):
            self._transaction.connection.execute(insert(api_keys).values(written(api_keys, key)))
            self._write_secrets(key)

    def get(self, key_id: str) -> ApiKey:
        this = select(api_keys.c.id).where(api_keys.c.id == key_id)
        # SQLite has no FOR UPDATE; its transaction already holds the write lock.
        self._transaction.find(this.with_for_update())
        return super().get(key_id)

    def caps(self, institution_id: str) -> KeyCaps:
        # The row is the lock of the institution's keys.
        this = select(key_caps.c.institution_id).where(key_caps.c.institution_id == institution_id)
        self._transaction.find(this.with_for_update())
        return super().caps(institution_id)

    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        self._require(institution_id)
        connection, row = self._transaction.connection, asdict(caps)
        # Never deleted, so that there is a row to lock as soon as there are caps.
        this = update(key_caps).where(key_caps.c.institution_id == institution_id)
        if connection.execute(this.values(row)).rowcount == 0:
            connection.execute(insert(key_caps).values(institution_id=institution_id, **row))

    def _require(self, institution_id: str) -> None:
        owner = select(institutions.c.id).where(institutions.c.id == institution_id)
        self._transaction.one(owner, "institution", institution_id)

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


def _ordered(rows: Iterable[Row[Any]]) -> tuple[ApiKey, ...]:
    # Sorted here and not by the database, whose collation may differ.
    found = (_key(list(of_key)) for _, of_key in groupby(rows, key=lambda row: row.id))
    return tuple(sorted(found, key=lambda key: (key.created_at, key.id)))


def _key(rows: list[Row[Any]]) -> ApiKey:
    row = rows[0]
    secrets = [
        KeySecret(each.digest, each.last_four, each.secret_created_at, each.ends_at)
        for each in rows
    ]
    return ApiKey(
        id=row.id,
        institution_id=row.institution_id,
        name=row.name,
        permission=Permission(row.permission),
        daily_limit=row.daily_limit,
        secrets=tuple(sorted(secrets, key=lambda secret: (secret.created_at, secret.digest))),
        created_at=row.created_at,
        expires_on=row.expires_on,
        revoked_at=row.revoked_at,
    )
