"""The data in memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields, replace
from datetime import date

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.session import Session
from evref.domain.accounts.slowdown import Failures
from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.snomed import LoadedMap

# What a unit of work changes, except the publications, which are never changed in place.
_CHANGED = (
    *("institutions", "members", "invitations", "proxy_sign_ins", "sessions"),
    *("keys", "key_ids_by_digest", "caps", "audit"),
)


@dataclass(slots=True)
class MemoryState:
    """The data. Hold the lock to read or write more than one part of it."""

    institutions: dict[str, Institution] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    keys: dict[str, ApiKey] = field(default_factory=dict)
    key_ids_by_digest: dict[str, str] = field(default_factory=dict, repr=False)
    caps: dict[str, KeyCaps] = field(default_factory=dict)
    days_by_key_id: dict[str, dict[date, DayUsage]] = field(default_factory=dict)
    proxy_sign_ins: dict[str, ProxySignIn] = field(default_factory=dict)
    audit: list[AuditEntry] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    failures: dict[str, Failures] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    publications: tuple[tuple[Publication, Catalogue | None], ...] = ()
    """Newest first."""
    publications_made: int = 0
    loaded_map: LoadedMap | None = None
    maps_replaced: int = 0

    # Re-entrant, because the block of a unit of work may read the parts.
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def copy(self) -> MemoryState:
        """Return a copy for a unit of work, which shares the data and the lock."""
        return replace(self, **{name: getattr(self, name).copy() for name in _CHANGED})

    def replace_with(self, copy: MemoryState) -> None:
        """Take over the data of a copy."""
        for part in fields(self):
            setattr(self, part.name, getattr(copy, part.name))


class MemoryPart:
    """A part of the storage, over the data of all parts."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state
