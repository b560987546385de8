"""Secrets that all workers share, in SQL."""

from sqlalchemy import select
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.engine import SqlPart
from evref.adapters.outbound.sql.tables import shared_secrets
from evref.ports.accounts import secrets

_KEEP = sql(
    "INSERT INTO shared_secrets (name, value) VALUES (:name, :candidate) "
    "ON CONFLICT (name) DO NOTHING"
)


class SqlSharedSecrets(SqlPart, secrets.SharedSecrets):
    def keep(self, name: str, candidate: str) -> str:
        stored = select(shared_secrets.c.value).where(shared_secrets.c.name == name)
        with self._database.transaction() as connection:
            connection.execute(_KEEP, {"name": name, "candidate": candidate})
            secret: str = connection.execute(stored).scalar_one()
        return secret
