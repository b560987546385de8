"""Storage: one object with a part for each kind of data, and a unit of work that changes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime

from evref.domain.audit import EVERYTHING, Action, AuditEntry, AuditFilter, Subject
from evref.domain.principal import Principal
from evref.ports.access import Admission, KeyChanges, Keys, UsageReports
from evref.ports.accounts import RecordChanges, Records
from evref.ports.catalogue import CatalogueChanges, PublishedCatalogue


@dataclass(frozen=True, slots=True)
class Changes:
    """A unit of work: the changes of a principal at one instant, and their audit entries."""

    principal: Principal
    instant: datetime
    keys: KeyChanges
    records: RecordChanges
    catalogue: CatalogueChanges
    entries: list[AuditEntry] = field(default_factory=list)
    """The audit entries, which the storage writes at the end, in this order."""

    def record(
        self,
        action: Action,
        detail: str,
        *,
        institution_id: str | None = None,
        subject: Subject | None = None,
    ) -> None:
        """Add the audit entry for an action of the principal."""
        self.entries.append(
            AuditEntry(self.instant, institution_id, self.principal.name, action, subject, detail)
        )


class AuditLog(ABC):
    """Who changed what and who signed in, and when. Entries of changes are never removed."""

    @abstractmethod
    def entries(
        self,
        institution_id: str | None,
        only: AuditFilter = EVERYTHING,
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Return the entries of an institution that the filter admits, the last written first.

        The first `skip` are left out, and at most `most` returned; all if it is None. A change has
        a time from before it waited for others, so an entry may have an earlier time than the one
        written before it. The institution None stands for the whole service.
        """

    @abstractmethod
    def gather(self, entries: Sequence[AuditEntry]) -> None:
        """Add the times of each entry to the stored entry that it is gathered with.

        This is the entry with the same institution, actor, action and time; if there is none, the
        entry is stored. All entries are written, or none, in any order. Concurrent calls do not
        lose counts. The entries with times in a unit of work are gathered in the same way.
        """

    @abstractmethod
    def remove_older(self, actions: Collection[Action], instant: datetime) -> None:
        """Remove the entries of these actions from before this time."""


class Storage(ABC):
    """All data that the service stores. An adapter sets each part in its constructor."""

    catalogue: PublishedCatalogue
    admission: Admission
    usage: UsageReports
    keys: Keys
    records: Records
    audit: AuditLog

    @abstractmethod
    def changes(self, principal: Principal, instant: datetime) -> AbstractContextManager[Changes]:
        """Return a unit of work, whose changes take effect together at the end of `with`.

        They are written with their audit entries, or not at all if anything fails; an exception
        of the block propagates. The parts of the storage do not show its changes before its end.
        """

    @abstractmethod
    def prepare(self) -> None:
        """Create or migrate the storage. Preserves all data; safe to repeat.

        If a newer version of the service created the storage, raise `StorageNotReadyError`.
        """

    @abstractmethod
    def verify(self) -> None:
        """Raise `StorageNotReadyError` if the storage must first be created, migrated or replaced
        for this version of the service.
        """

    @abstractmethod
    def ping(self) -> None:
        """Raise `StorageUnavailableError` if storage does not accept writes now."""

    def warnings(self) -> Sequence[str]:
        """Return warnings for the operator about the setup of this storage, one line each."""
        return ()

    @abstractmethod
    def close(self) -> None:
        """Close the connections, before a fork or the end of the process. They reopen on demand."""


class DelegatingStorage(Storage):
    """Another storage, some of whose parts a subclass replaces after this constructor."""

    def __init__(self, rest: Storage) -> None:
        self.rest = rest
        self.catalogue = rest.catalogue
        self.admission = rest.admission
        self.usage = rest.usage
        self.keys = rest.keys
        self.records = rest.records
        self.audit = rest.audit

    def changes(self, principal: Principal, instant: datetime) -> AbstractContextManager[Changes]:
        return self.rest.changes(principal, instant)

    def prepare(self) -> None:
        self.rest.prepare()

    def verify(self) -> None:
        self.rest.verify()

    def ping(self) -> None:
        self.rest.ping()

    def warnings(self) -> Sequence[str]:
        return self.rest.warnings()

    def close(self) -> None:
        self.rest.close()
