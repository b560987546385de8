"""Keys as JSON, with their secrets to find them by."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey, KeySecret, Permission
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.access import KeyChanges, Keys
from evref.ports.accounts import INSTITUTIONS, Records
from evref_own_keys.database import Database

_BY_DIGEST = """
SELECT digest, record FROM secrets JOIN keys ON keys.id = key_id
WHERE digest IN (SELECT value FROM json_each(?))
"""


class OwnKeys(Keys):
    """Reads keys, each time on a new connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key_id: str) -> ApiKey:
        with self._database.connect() as connection:
            return _get(connection, key_id)

    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        with self._database.connect() as connection:
            return by_digests(connection, digests)

    def list(self) -> tuple[ApiKey, ...]:
        with self._database.connect() as connection:
            return _oldest_first(connection.execute("SELECT record FROM keys"))

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        with self._database.connect() as connection:
            return _of_institution(connection, institution_id)

    def caps(self, institution_id: str) -> KeyCaps:
        with self._database.connect() as connection:
            return _caps(connection, institution_id)


class OwnKeyChanges(KeyChanges):
    """Changes keys in a transaction, which excludes all other changes."""

    def __init__(self, connection: sqlite3.Connection, records: Records) -> None:
        self._connection = connection
        self._records = records

    def add(self, key: ApiKey) -> None:
        self._records.get(INSTITUTIONS, key.institution_id)
        if self._connection.execute("SELECT 1 FROM keys WHERE id = ?", [key.id]).fetchone():
            raise AlreadyExistsError("API key", key.id)
        self.replace(key)

    def get(self, key_id: str) -> ApiKey:
        return _get(self._connection, key_id)

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        return _of_institution(self._connection, institution_id)

    def caps(self, institution_id: str) -> KeyCaps:
        return _caps(self._connection, institution_id)

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


def by_digests(connection: sqlite3.Connection, digests: Collection[str]) -> Mapping[str, ApiKey]:
    """Return the keys that have secrets with these digests."""
    found = connection.execute(_BY_DIGEST, [json.dumps([*digests])])
    return {digest: _read(record) for digest, record in found}


def _get(connection: sqlite3.Connection, key_id: str) -> ApiKey:
    try:
        found = connection.execute("SELECT record FROM keys WHERE id = ?", [key_id]).fetchone()
    except UnicodeEncodeError:
        found = None
    if found is None:
        raise NotFoundError("API key", key_id)
    return _read(found[0])


def _of_institution(connection: sqlite3.Connection, institution_id: str) -> tuple[ApiKey, ...]:
    wanted = "SELECT record FROM keys WHERE institution_id = ?"
    return _oldest_first(connection.execute(wanted, [institution_id]))


def _caps(connection: sqlite3.Connection, institution_id: str) -> KeyCaps:
    wanted = "SELECT record FROM caps WHERE institution_id = ?"
    found = connection.execute(wanted, [institution_id]).fetchone()
    return KeyCaps() if found is None else KeyCaps(**json.loads(found[0]))


def _oldest_first(rows: Iterable[tuple[str]]) -> tuple[ApiKey, ...]:
    found = [_read(record) for (record,) in rows]
    return tuple(sorted(found, key=lambda key: (key.created_at, key.id)))


def _text(value: datetime | date) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def _read(record: str) -> ApiKey:
    fields = json.loads(record)
    for name in ("created_at", "revoked_at"):
        fields[name] = _instant(fields[name])
    if fields["expires_on"] is not None:
        fields["expires_on"] = date.fromisoformat(fields["expires_on"])
    fields["permission"] = Permission(fields["permission"])
    fields["secrets"] = tuple(
        KeySecret(
            **each
            | {"created_at": _instant(each["created_at"]), "ends_at": _instant(each["ends_at"])}
        )
        for each in fields["secrets"]
    )
    return ApiKey(**fields)


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
