"""Institutions and their people, by kind and id."""

from datetime import datetime
from typing import Any

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.accounts import Kind, Record, RecordChanges, Records


class MemoryRecords(MemoryPart, Records):
    # The dictionaries are replaced by each change, never changed, so readers need no lock.

    def get(self, kind: Kind[Record], record_id: str) -> Record:
        try:
            record: Record = self._state.records[kind][record_id]
        except KeyError:
            raise NotFoundError(kind.name, record_id) from None
        return record

    def find(self, kind: Kind[Record], **fields: object) -> tuple[Record, ...]:
        return tuple(
            record
            for _, record in sorted(self._state.records[kind].items())
            if all(getattr(record, name) == value for name, value in fields.items())
        )


class MemoryRecordChanges(MemoryRecords, RecordChanges):
    def lock(self, kind: Kind[Record], record_id: str) -> Record:
        # The unit of work holds the lock of the whole state.
        return self.get(kind, record_id)

    def add(self, kind: Kind[Record], record: Record) -> None:
        taken = self._state.records[kind].get(getattr(record, kind.id))
        if kind.unique and taken is None:
            taken = self.find(kind, **{kind.unique: getattr(record, kind.unique)})
        if taken:
            raise AlreadyExistsError(kind.name, kind.label(record))
        self._state.records[kind][getattr(record, kind.id)] = record

    def replace(self, kind: Kind[Record], record: Record) -> None:
        self.get(kind, getattr(record, kind.id))
        self.remove(kind, getattr(record, kind.id))
        self.add(kind, record)

    def remove(self, kind: Kind[Any], record_id: str) -> None:
        self._state.records[kind].pop(record_id, None)

    def remove_older(self, kind: Kind[Any], instant: datetime, *, prefix: str = "") -> None:
        for record_id, record in list(self._state.records[kind].items()):
            if getattr(record, kind.since) < instant and record_id.startswith(prefix):
                self.remove(kind, record_id)
