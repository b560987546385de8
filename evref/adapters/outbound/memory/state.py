"""The data that all stores in memory share."""

import threading
from dataclasses import dataclass, field
from datetime import date

from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.sign_in import Failures, Session
from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.catalogue.store import Publication


@dataclass(slots=True)
class MemoryState:
    """The records. Hold the lock to read or write more than one of them."""

    institutions: dict[str, Institution] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    keys: dict[str, ApiKey] = field(default_factory=dict)
    key_ids_by_digest: dict[str, str] = field(default_factory=dict, repr=False)
    days_by_key_id: dict[str, dict[date, DayUsage]] = field(default_factory=dict)
    audit: list[AuditEntry] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    failures: dict[str, Failures] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    publications: tuple[tuple[Publication, Catalogue], ...] = ()
    """Newest first."""

    # Re-entrant, because a function passed to KeyStore.change may read other stores.
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def keep_key(self, key: ApiKey) -> None:
        """Store the key by its id and the digests of its secrets; replace an earlier version."""
        earlier = self.keys.get(key.id)
        for secret in earlier.secrets if earlier is not None else ():
            del self.key_ids_by_digest[secret.digest]
        self.keys[key.id] = key
        self.key_ids_by_digest |= {secret.digest: key.id for secret in key.secrets}
