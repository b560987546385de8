"""API keys in SQL, with their secrets; other modules that look up a key use `whole`."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.engine import SqlDatabase, batches
from evref.adapters.outbound.sql.tables import api_keys, institutions, key_secrets
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.access.secret import KeySecret
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.access import keys

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


class SqlKeyStore(keys.KeyStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def add(self, key: ApiKey, entry: AuditEntry) -> None:
        taken = AlreadyExistsError("API key", key.id)
        owner = select(institutions.c.id).where(institutions.c.id == key.institution_id)
        with self._database.transaction(taken=taken) as connection:
            if connection.execute(owner).first() is None:
                raise NotFoundError("institution", key.institution_id)
            connection.execute(insert(api_keys).values(**_written(key)))
            _write_secrets(connection, key)
            audit.append(connection, entry)

    def get(self, key_id: str) -> ApiKey:
        return _one(self._database.find_all(_WHOLE.where(api_keys.c.id == key_id)), key_id)

    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        by_digest: dict[str, ApiKey] = {}
        for some in batches(digests):
            their_keys = select(key_secrets.c.key_id).where(key_secrets.c.digest.in_(some))
            rows = self._database.find_all(_WHOLE.where(api_keys.c.id.in_(their_keys)))
            for key in _ordered(rows):
                by_digest |= {secret.digest: key for secret in key.secrets}
        return {digest: by_digest[digest] for digest in digests if digest in by_digest}

    def list(self) -> tuple[ApiKey, ...]:
        return _ordered(self._database.find_all(_WHOLE))

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        its_own = api_keys.c.institution_id == institution_id
        return _ordered(self._database.find_all(_WHOLE.where(its_own)))

    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        # First without a transaction: an unknown key should not block others.
        self.get(key_id)
        this = api_keys.c.id == key_id
        with self._database.transaction() as connection:
            # SQLite has no FOR UPDATE; its transaction already holds the write lock.
            connection.execute(select(api_keys.c.id).where(this).with_for_update())
            before = _one(connection.execute(_WHOLE.where(this)), key_id)
            changed = change(before)
            if changed is None:
                return before
            after, entry = changed
            connection.execute(update(api_keys).where(this).values(**_written(after)))
            if after.secrets != before.secrets:
                connection.execute(delete(key_secrets).where(key_secrets.c.key_id == key_id))
                _write_secrets(connection, after)
            audit.append(connection, entry)
        return after


def _one(rows: Iterable[Row[Any]], name: str) -> ApiKey:
    found = _ordered(rows)
    if not found:
        raise NotFoundError("API key", name)
    return found[0]


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


def _written(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "institution_id": key.institution_id,
        "name": key.name,
        "permission": key.permission.value,
        "daily_limit": key.daily_limit,
        "created_at": key.created_at,
        "expires_on": key.expires_on,
        "revoked_at": key.revoked_at,
    }


def _write_secrets(connection: Connection, key: ApiKey) -> None:
    rows = [
        {
            "digest": secret.digest,
            "key_id": key.id,
            "last_four": secret.last_four,
            "created_at": secret.created_at,
            "ends_at": secret.ends_at,
        }
        for secret in key.secrets
    ]
    connection.execute(insert(key_secrets), rows)
