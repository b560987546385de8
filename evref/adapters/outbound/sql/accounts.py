"""Institutions and their people in SQL: a row has the fields of a record, by their names."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, delete, insert, select, update

from evref.adapters.outbound.sql.engine import Source, Transaction
from evref.adapters.outbound.sql.tables import (
    institutions,
    invitations,
    members,
    proxy_domains,
    proxy_sign_ins,
    sessions,
    shared_secrets,
    sign_in_failures,
    written,
)
from evref.domain.errors import NotFoundError
from evref.ports.accounts import (
    ATTEMPTS,
    INSTITUTIONS,
    INVITATIONS,
    MEMBERS,
    PROXY_SIGN_INS,
    SECRETS,
    SESSIONS,
    SIGN_IN_DOMAINS,
    Kind,
    Record,
    RecordChanges,
    Records,
)

TABLES: dict[Kind[Any], Table] = {
    INSTITUTIONS: institutions,
    MEMBERS: members,
    INVITATIONS: invitations,
    SESSIONS: sessions,
    ATTEMPTS: sign_in_failures,
    PROXY_SIGN_INS: proxy_sign_ins,
    SIGN_IN_DOMAINS: proxy_domains,
    SECRETS: shared_secrets,
}


class SqlRecords(Records):
    def __init__(self, source: Source) -> None:
        self._source = source

    def get(self, kind: Kind[Record], record_id: str) -> Record:
        return self._record(kind, record_id, select(TABLES[kind]))

    def find(self, kind: Kind[Record], **fields: object) -> tuple[Record, ...]:
        table = TABLES[kind]
        has_values = [table.c[name] == value for name, value in fields.items()]
        rows = self._source.find_all(select(table).where(*has_values))
        records = [kind.record(**row._mapping) for row in rows]  # noqa: SLF001 - a public name
        # Sorted here and not by the database, whose collation may differ.
        return tuple(sorted(records, key=lambda record: str(getattr(record, kind.id))))

    def _record(self, kind: Kind[Record], record_id: str, query: Select[Any]) -> Record:
        row = self._source.get(query.where(_has_id(kind, record_id)), kind.name, record_id)
        return kind.record(**row._mapping)  # noqa: SLF001 - a public name


class SqlRecordChanges(SqlRecords, RecordChanges):
    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        self._transaction = transaction

    def lock(self, kind: Kind[Record], record_id: str) -> Record:
        # FOR NO KEY UPDATE, so that rows can still refer to the record. SQLite has no such lock;
        # its transaction already holds the write lock.
        return self._record(kind, record_id, select(TABLES[kind]).with_for_update(key_share=True))

    def add(self, kind: Kind[Record], record: Record) -> None:
        with self._transaction.unique(kind.name, kind.label(record)) as connection:
            connection.execute(insert(TABLES[kind]).values(written(TABLES[kind], record)))

    def replace(self, kind: Kind[Record], record: Record) -> None:
        record_id, row = getattr(record, kind.id), written(TABLES[kind], record)
        statement = update(TABLES[kind]).where(_has_id(kind, record_id)).values(row)
        with self._transaction.unique(kind.name, kind.label(record)) as connection:
            if connection.execute(statement).rowcount == 0:
                raise NotFoundError(kind.name, record_id)

    def remove(self, kind: Kind[Any], record_id: str) -> None:
        statement = delete(TABLES[kind]).where(_has_id(kind, record_id))
        self._transaction.connection.execute(statement)

    def remove_older(self, kind: Kind[Any], instant: datetime, *, prefix: str = "") -> None:
        columns = TABLES[kind].c
        record_id, since = columns[kind.id], columns[kind.since]
        old = select(record_id).where(
            since < instant, record_id.startswith(prefix, autoescape=True)
        )
        # Locked ones are skipped, because to wait for one while others are locked is a deadlock.
        unlocked = old.with_for_update(skip_locked=True)
        self._transaction.connection.execute(delete(TABLES[kind]).where(record_id.in_(unlocked)))


def _has_id(kind: Kind[Any], record_id: str) -> ColumnElement[bool]:
    return TABLES[kind].c[kind.id] == record_id
