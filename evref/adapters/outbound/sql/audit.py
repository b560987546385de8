"""The audit log in SQL."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, delete, insert, select
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.engine import SqlPart
from evref.adapters.outbound.sql.tables import Instant, audit_entries, gathered_entries
from evref.domain.audit import (
    CHANGES,
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
        # The part is taken before the times are looked up, so that none are for what is skipped.
        part = _newest_first(institution_id, only).offset(skip).limit(most).subquery()
        gathered = gathered_entries.c
        of_entry = and_(
            gathered.institution_id == (institution_id or ""),
            gathered.actor == part.c.actor,
            gathered.action == part.c.action,
            gathered.at == part.c.at,
        )
        rows = self._database.find_all(
            select(part, gathered.times)
            .outerjoin(gathered_entries, of_entry)
            .order_by(part.c.id.desc())
        )
        return tuple(map(_entry, rows))

    def gather(self, entries: Sequence[AuditEntry]) -> None:
        # Always in the same order, to avoid deadlocks.
        ordered = sorted(
            entries, key=lambda entry: (entry.at, entry.institution_id or "", entry.actor)
        )
        with self._database.transaction() as connection:
            append(connection, ordered)

    def remove_older(self, actions: Collection[Action], instant: datetime) -> None:
        with self._database.transaction() as connection:
            for table in (audit_entries, gathered_entries):
                old = delete(table).where(table.c.action.in_(actions), table.c.at < instant)
                connection.execute(old)


def _entry(row: Row[Any]) -> AuditEntry:
    kind = row.subject_kind
    subject = None if kind is None else Subject(SubjectKind(kind), row.subject_id)
    action = Action(row.action)
    return AuditEntry(row.at, row.institution_id, row.actor, action, subject, row.detail, row.times)


def _newest_first(institution_id: str | None, only: AuditFilter) -> Select[Any]:
    table, actions = audit_entries.c, only.actions
    entries = select(audit_entries).where(table.institution_id == institution_id)
    if only.actor is not None:
        entries = entries.where(table.actor == only.actor)
    if only.key_id is not None:
        entries = entries.where(
            table.subject_kind == SubjectKind.KEY.value, table.subject_id == only.key_id
        )
        # A sign-in concerns no key, and sign-ins may be millions.
        actions = CHANGES if actions is None else actions
    if actions is None:
        return entries.order_by(table.id.desc())
    # Changes are few: they are sorted, and not looked for among the sign-ins in the order of ids.
    are_changes = len(actions) >= len(CHANGES)
    order = table.id + 0 if are_changes else table.id
    return entries.where(table.action.in_(actions)).order_by(order.desc())


_GATHER = sql(
    "INSERT INTO gathered_entries (at, institution_id, actor, action, times)"
    " VALUES (:at, :institution_id, :actor, :action, :times)"
    " ON CONFLICT (at, institution_id, actor, action)"
    " DO UPDATE SET times = gathered_entries.times + excluded.times RETURNING times"
).bindparams(bindparam("at", type_=Instant))


def append(connection: Connection, entries: Sequence[AuditEntry]) -> None:
    """Write the entries, in this order, in the transaction of what they record."""
    rows = [
        {
            "at": entry.at,
            "institution_id": entry.institution_id,
            "actor": entry.actor,
            "action": entry.action.value,
            "subject_kind": None if entry.subject is None else entry.subject.kind.value,
            "subject_id": None if entry.subject is None else entry.subject.id,
            "detail": entry.detail,
        }
        for entry in entries
        if entry.times is None or _is_first(connection, entry)
    ]
    if rows:
        connection.execute(insert(audit_entries), rows)


def _is_first(connection: Connection, entry: AuditEntry) -> bool:
    """Add the times of an entry; return whether it is the first of those that are gathered."""
    row = {name: getattr(entry, name) for name in ("at", "actor", "action", "times")}
    row["institution_id"] = entry.institution_id or ""
    times: int = connection.execute(_GATHER, row).scalar_one()
    return times == entry.times
