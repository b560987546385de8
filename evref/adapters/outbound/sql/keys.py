"""API keys in SQL; `read` makes a key of a row for whoever else selects one."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, insert, select, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import api_keys
from evref.domain.access.key import ApiKey, Permission
from evref.domain.accounts.institution import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports import keys


class SqlKeyStore(keys.KeyStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def add(self, key: ApiKey, digest: str, entry: AuditEntry) -> None:
        taken = AlreadyExistsError("API key", key.id)
        with self._database.transaction(taken=taken) as connection:
            connection.execute(insert(api_keys).values(token_hash=digest, **_written(key)))
            audit.append(connection, entry)

    def get(self, key_id: str) -> ApiKey:
        row = self._database.find(select(api_keys).where(api_keys.c.id == key_id))
        return _found(row, key_id)

    def by_digest(self, digest: str) -> ApiKey | None:
        row = self._database.find(select(api_keys).where(api_keys.c.token_hash == digest))
        return None if row is None else read(row)

    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        found = select(api_keys)
        if institution_id is not None:
            found = found.where(api_keys.c.institution_id == institution_id)
        with self._database.connect() as connection:
            rows = connection.execute(found).all()
        # Here rather than by the database, whose collation may differ.
        return tuple(sorted(map(read, rows), key=lambda key: (key.created_at, key.id)))

    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        # First without a transaction: for an unknown key nobody need wait.
        self.get(key_id)
        this = api_keys.c.id == key_id
        with self._database.transaction() as connection:
            # SQLite has no FOR UPDATE, and needs none: it has begun to write already.
            row = connection.execute(select(api_keys).where(this).with_for_update()).one_or_none()
            before = _found(row, key_id)
            changed = change(before)
            if changed is None:
                return before
            after, entry = changed
            connection.execute(update(api_keys).where(this).values(**_written(after)))
            audit.append(connection, entry)
        return after


def read(row: Row[Any]) -> ApiKey:
    """The key in a row that has all columns of `api_keys`."""
    return ApiKey(
        id=row.id,
        institution_id=row.institution_id,
        name=row.name,
        permission=Permission(row.permission),
        daily_limit=row.daily_limit,
        last_four=row.last_four,
        created_at=row.created_at,
        expires_on=row.expires_on,
        revoked_at=row.revoked_at,
    )


def _found(row: Row[Any] | None, key_id: str) -> ApiKey:
    if row is None:
        raise NotFoundError("API key", key_id)
    return read(row)


def _written(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "institution_id": key.institution_id,
        "name": key.name,
        "permission": key.permission.value,
        "daily_limit": key.daily_limit,
        "last_four": key.last_four,
        "created_at": key.created_at,
        "expires_on": key.expires_on,
        "revoked_at": key.revoked_at,
    }
