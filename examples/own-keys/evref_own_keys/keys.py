"""Keys as JSON, with their secrets to find them by."""

import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from datetime import UTC, date, datetime
from sqlite3 import Connection

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey, KeySecret, Permission
from evref.domain.errors import AlreadyExistsError, InvalidApiKeyError, NotFoundError
from evref.ports.access import KeyChanges, Keys
from evref.ports.accounts import INSTITUTIONS, Records

_WITH_DIGEST = "SELECT record FROM secrets JOIN keys ON keys.id = key_id WHERE digest = ?"


class OwnKeys(Keys):
    """Reads keys on a connection of its own, or on that of a transaction."""

    def __init__(self, connect: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._connect = connect

    def get(self, key_id: str) -> ApiKey:
        try:
            with self._connect() as connection:
                wanted = "SELECT record FROM keys WHERE id = ?"
                row = connection.execute(wanted, [key_id]).fetchone()
        except UnicodeEncodeError:
            row = None
        if row is None:
            raise NotFoundError("API key", key_id)
        return _key(row[0])

    def with_digest(self, digest: str) -> ApiKey:
        with self._connect() as connection:
            return with_digest(connection, digest)

    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        wanted = "SELECT record FROM keys WHERE coalesce(institution_id = ?, true)"
        with self._connect() as connection:
            return _oldest_first(connection.execute(wanted, [institution_id]))

    def caps(self, institution_id: str) -> KeyCaps:
        wanted = "SELECT record FROM caps WHERE institution_id = ?"
        with self._connect() as connection:
            row = connection.execute(wanted, [institution_id]).fetchone()
        return KeyCaps() if row is None else KeyCaps(**json.loads(row[0]))


class OwnKeyChanges(OwnKeys, KeyChanges):
    """Changes keys in a transaction, which excludes all other changes."""

    def __init__(self, connection: Connection, records: Records) -> None:
        super().__init__(lambda: nullcontext(connection))
        self._connection = connection
        self._records = records

    def add(self, key: ApiKey) -> None:
        self._records.get(INSTITUTIONS, key.institution_id)
        if self._connection.execute("SELECT 1 FROM keys WHERE id = ?", [key.id]).fetchone():
            raise AlreadyExistsError("API key", key.id)
        self.replace(key)

    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        self._records.get(INSTITUTIONS, institution_id)
        record = [institution_id, json.dumps(asdict(caps))]
        self._connection.execute("INSERT OR REPLACE INTO caps VALUES (?, ?)", record)

    def replace(self, key: ApiKey) -> None:
        record = json.dumps(asdict(key), default=_text)
        self._connection.execute(
            "INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", [key.id, key.institution_id, record]
        )
        self._connection.execute("DELETE FROM secrets WHERE key_id = ?", [key.id])
        secrets = [(secret.digest, key.id) for secret in key.secrets]
        self._connection.executemany("INSERT INTO secrets VALUES (?, ?)", secrets)


def with_digest(connection: Connection, digest: str) -> ApiKey:
    """Return the key that has a secret with this digest, or raise `InvalidApiKeyError`."""
    row = connection.execute(_WITH_DIGEST, [digest]).fetchone()
    if row is None:
        raise InvalidApiKeyError
    return _key(row[0])


def _oldest_first(rows: Iterable[tuple[str]]) -> tuple[ApiKey, ...]:
    keys = (_key(record) for (record,) in rows)
    return tuple(sorted(keys, key=lambda key: (key.created_at, key.id)))


def _text(value: datetime | date) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def _key(record: str) -> ApiKey:
    fields = json.loads(record)
    for name in ("created_at", "revoked_at"):
        fields[name] = _instant(fields[name])
    if fields["expires_on"] is not None:
        fields["expires_on"] = date.fromisoformat(fields["expires_on"])
    fields["permission"] = Permission(fields["permission"])
    fields["secrets"] = tuple(
        KeySecret(
            **secret
            | {"created_at": _instant(secret["created_at"]), "ends_at": _instant(secret["ends_at"])}
        )
        for secret in fields["secrets"]
    )
    return ApiKey(**fields)


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
