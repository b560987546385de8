"""The audit log in SQL."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select

from evref.adapters.outbound.sql.engine import SqlPart
from evref.adapters.outbound.sql.tables import audit_entries
from evref.domain.audit import (
    EVERYTHING,
    Action,
    AuditEntry,
    AuditFilter,
    Subject,
    SubjectKind,
)
from evref.ports import storage


class SqlAuditLog(SqlPart, storage.AuditLog):
    def entries(
        self,
        institution_id: str | None,
        only: AuditFilter = EVERYTHING,
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> tuple[AuditEntry, ...]:
        table = audit_entries.c
        found = (
            select(audit_entries)
            .where(*_conditions(institution_id, only))
            .order_by(table.id.desc())
            .offset(skip)
            .limit(most)
        )
        return tuple(map(_entry, self._database.find_all(found)))

    def count(self, institution_id: str | None, only: AuditFilter = EVERYTHING) -> int:
        conditions = _conditions(institution_id, only)
        counted = select(func.count()).select_from(audit_entries).where(*conditions)
        with self._database.connect() as connection:
            return connection.execute(counted).scalar_one()

    def actors(self, institution_id: str | None) -> frozenset[str]:
        conditions = _conditions(institution_id, EVERYTHING)
        found = select(audit_entries.c.actor).where(*conditions).distinct()
        return frozenset(row.actor for row in self._database.find_all(found))


def _entry(row: Row[Any]) -> AuditEntry:
    kind = row.subject_kind
    subject = None if kind is None else Subject(SubjectKind(kind), row.subject_id)
    action = Action(row.action)
    return AuditEntry(row.at, row.institution_id, row.actor, action, subject, row.detail)


def _conditions(institution_id: str | None, only: AuditFilter) -> list[ColumnElement[bool]]:
    table = audit_entries.c
    conditions = [table.institution_id == institution_id]
    if only.actor is not None:
        conditions.append(table.actor == only.actor)
    if only.action is not None:
        conditions.append(table.action == only.action.value)
    if only.key_id is not None:
        conditions.append(table.subject_kind == SubjectKind.KEY.value)
        conditions.append(table.subject_id == only.key_id)
    return conditions


def append(connection: Connection, entries: Sequence[AuditEntry]) -> None:
    """Write the entries, in this order, in the transaction of the changes that they record."""
    for entry in entries:
        connection.execute(
            insert(audit_entries).values(
                at=entry.at,
                institution_id=entry.institution_id,
                actor=entry.actor,
                action=entry.action.value,
                subject_kind=None if entry.subject is None else entry.subject.kind.value,
                subject_id=None if entry.subject is None else entry.subject.id,
                detail=entry.detail,
            )
        )
