"""The data in memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage
from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.snomed import LoadedMap
from evref.domain.errors import NotFoundError
from evref.ports.accounts import INSTITUTIONS, KINDS, Kind


@dataclass(slots=True)
class MemoryState:
    """The data. Hold the lock to read or write more than one part of it."""

    records: dict[Kind[Any], dict[str, Any]] = field(
        default_factory=lambda: {kind: {} for kind in KINDS}, repr=False
    )
    keys: dict[str, ApiKey] = field(default_factory=dict)
    caps: dict[str, KeyCaps] = field(default_factory=dict)
    days_by_key_id: dict[str, dict[date, DayUsage]] = field(default_factory=dict)
    audit: list[AuditEntry] = field(default_factory=list)
    publications: tuple[tuple[Publication, Catalogue | None], ...] = ()
    """Newest first."""
    publications_made: int = 0
    loaded_map: LoadedMap | None = None
    maps_replaced: int = 0

    # Re-entrant, because the block of a unit of work may read the parts.
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def copy(self) -> MemoryState:
        """Return a copy for a unit of work, with the same lock.

        What a unit of work does not change, or only replaces, is shared too.
        """
        return replace(
            self,
            records={kind: kept.copy() for kind, kept in self.records.items()},
            keys=self.keys.copy(),
            caps=self.caps.copy(),
            audit=self.audit.copy(),
        )

    def require_institution(self, institution_id: str) -> None:
        """Raise `NotFoundError` if there is no institution with this id."""
        if institution_id not in self.records[INSTITUTIONS]:
            raise NotFoundError(INSTITUTIONS.name, institution_id)

    def replace_with(self, copy: MemoryState) -> None:
        for part in fields(self):
            setattr(self, part.name, getattr(copy, part.name))


class MemoryPart:
    def __init__(self, state: MemoryState) -> None:
        self._state = state
