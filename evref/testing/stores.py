"""A storage with all its stores, and what tests do with it again and again."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from threading import Barrier
from typing import Self, TypeVar

from evref.bootstrap.container import Container
from evref.domain.access.key import ApiKey
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.admission import Admission
from evref.ports.audit import AuditLog
from evref.ports.catalogue import CatalogueStore
from evref.ports.institutions import InstitutionStore, MemberStore
from evref.ports.keys import KeyStore
from evref.ports.secrets import SharedSecrets
from evref.ports.sessions import SessionStore
from evref.ports.sign_in_attempts import SignInAttempts
from evref.ports.storage import StorageConnections, StorageHealth, StorageSchema
from evref.ports.usage import UsageReports
from evref.testing.builders import (
    NOON,
    a_publication,
    a_publication_entry,
    an_audit_entry,
    an_institution,
)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Stores:
    """One prepared storage that holds nothing yet; all stores keep their records in it."""

    health: StorageHealth
    schema: StorageSchema
    connections: StorageConnections
    catalogue: CatalogueStore
    keys: KeyStore
    admission: Admission
    usage_reports: UsageReports
    institutions: InstitutionStore
    members: MemberStore
    audit: AuditLog
    sessions: SessionStore
    sign_in_attempts: SignInAttempts
    secrets: SharedSecrets

    settle: Callable[[], None] = lambda: None
    """Lets as much time go by as a change of a key may take to hold."""

    expire: Callable[[int], None] = lambda _days: None
    """Lets so many days go by for records that expire by themselves, where the storage has any."""

    @classmethod
    def of(cls, container: Container) -> Self:
        """The stores that a container has wired, in storage that it makes where there is none."""
        container.schema().prepare()
        return cls(
            health=container.health(),
            schema=container.schema(),
            connections=container.connections(),
            catalogue=container.catalogue_store(),
            keys=container.keys(),
            admission=container.admission(),
            usage_reports=container.usage_reports(),
            institutions=container.institutions(),
            members=container.members(),
            audit=container.audit_log(),
            sessions=container.sessions(),
            sign_in_attempts=container.sign_in_attempts(),
            secrets=container.secrets(),
        )


def keep_catalogue(store: CatalogueStore, catalogue: Catalogue, *, at: datetime = NOON) -> None:
    """Publish the catalogue, whichever is served."""
    store.publish(
        catalogue,
        a_publication(catalogue, at=at),
        a_publication_entry(catalogue, at=at),
        replacing=store.version(),
    )


def keep_institutions(stores: Stores, *institution_ids: str) -> None:
    """Keep institutions with these ids, that are also their names."""
    for institution_id in institution_ids:
        stores.institutions.add(
            an_institution(institution_id, name=institution_id),
            an_audit_entry(institution_id=institution_id, key_id=None),
        )


def keep_key(stores: Stores, key: ApiKey) -> str:
    """Keep the key, and return the digest of its newest secret."""
    stores.keys.add(key, an_audit_entry(key_id=key.id))
    return key.secrets[-1].digest


def at_once(times: int, act: Callable[[int], Answer]) -> list[Answer]:
    """What `act` answers to 0, 1, …, asked by as many threads that start together."""
    together = Barrier(times)

    def start(number: int) -> Answer:
        together.wait()
        return act(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(start, range(times)))
