"""The audit log in SQL; `append` is for the stores, which write it with each change."""

from sqlalchemy import Connection, insert, select

from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import audit_entries
from evref.domain.institution import Action, AuditEntry
from evref.ports import audit


class SqlAuditLog(audit.AuditLog):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def entries(self, institution_id: str) -> tuple[AuditEntry, ...]:
        table = audit_entries.c
        found = (
            select(audit_entries)
            .where(table.institution_id == institution_id)
            # Of entries of one instant, the one that was written last leads.
            .order_by(table.at.desc(), table.id.desc())
        )
        with self._database.connect() as connection:
            return tuple(
                AuditEntry(
                    at=row.at,
                    institution_id=row.institution_id,
                    actor=row.actor,
                    action=Action(row.action),
                    key_id=row.key_id,
                    detail=row.detail,
                )
                for row in connection.execute(found)
            )


def append(connection: Connection, entry: AuditEntry) -> None:
    """Write the entry in the transaction of the change that it tells of."""
    connection.execute(
        insert(audit_entries).values(
            at=entry.at,
            institution_id=entry.institution_id,
            actor=entry.actor,
            action=entry.action.value,
            key_id=entry.key_id,
            detail=entry.detail,
        )
    )
