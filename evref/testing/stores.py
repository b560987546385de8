"""A storage with all its stores, and what tests do with it again and again."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from threading import Barrier
from typing import Self, TypeVar

from evref.container import Container
from evref.domain.access import ApiKey
from evref.domain.catalogue import Catalogue
from evref.ports.audit import AuditLog
from evref.ports.catalogue import CatalogueStore
from evref.ports.institutions import InstitutionStore, MemberStore
from evref.ports.keys import KeyStore
from evref.ports.secrets import SharedSecrets
from evref.ports.sessions import SessionStore
from evref.ports.sign_in_attempts import SignInAttempts
from evref.ports.storage import Storage
from evref.ports.usage import Usage
from evref.testing.builders import NOON, a_publication, an_audit_entry, an_institution

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Stores:
    """One prepared storage that holds nothing yet; all stores keep their records in it."""

    storage: Storage
    catalogue: CatalogueStore
    keys: KeyStore
    usage: Usage
    institutions: InstitutionStore
    members: MemberStore
    audit: AuditLog
    sessions: SessionStore
    sign_in_attempts: SignInAttempts
    secrets: SharedSecrets

    settle: Callable[[], None] = lambda: None
    """Lets as much time go by as a change of a key may take to hold."""

    @classmethod
    def of(cls, container: Container) -> Self:
        """The stores that a container has wired, in storage that it makes where there is none."""
        container.storage().prepare()
        return cls(
            storage=container.storage(),
            catalogue=container.catalogue_store(),
            keys=container.keys(),
            usage=container.usage(),
            institutions=container.institutions(),
            members=container.members(),
            audit=container.audit_log(),
            sessions=container.sessions(),
            sign_in_attempts=container.sign_in_attempts(),
            secrets=container.secrets(),
        )


def keep_catalogue(store: CatalogueStore, catalogue: Catalogue, *, at: datetime = NOON) -> None:
    """Publish the catalogue, whichever is served."""
    store.publish(catalogue, a_publication(catalogue, at=at), replacing=store.version())


def keep_institutions(stores: Stores, *institution_ids: str) -> None:
    """Keep institutions with these ids, that are also their names."""
    for institution_id in institution_ids:
        stores.institutions.add(
            an_institution(institution_id, name=institution_id),
            an_audit_entry(institution_id=institution_id, key_id=None),
        )


def digest_of(key: ApiKey) -> str:
    """A digest to keep the key under; each key's own."""
    return hashlib.sha256(key.id.encode()).hexdigest()


def keep_key(stores: Stores, key: ApiKey) -> str:
    """Keep the key, and return the digest that it is kept under."""
    digest = digest_of(key)
    stores.keys.add(key, digest, an_audit_entry(key_id=key.id))
    return digest


def at_once(times: int, act: Callable[[int], Answer]) -> list[Answer]:
    """What `act` answers to 0, 1, …, asked by as many threads that start together."""
    together = Barrier(times)

    def start(number: int) -> Answer:
        together.wait()
        return act(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(start, range(times)))
