"""A storage with all its stores, and helpers for tests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from threading import Barrier
from typing import Self, TypeVar

from evref.bootstrap.container import Container
from evref.domain.access.key import ApiKey
from evref.domain.accounts.institution import Member
from evref.domain.accounts.team import Team
from evref.domain.audit import Action, AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.access.admission import Admission
from evref.ports.access.keys import KeyStore
from evref.ports.access.usage import UsageReports
from evref.ports.accounts.institutions import InstitutionStore, MemberStore
from evref.ports.accounts.secrets import SharedSecrets
from evref.ports.accounts.sessions import SessionStore
from evref.ports.accounts.sign_in_attempts import SignInAttempts
from evref.ports.accounts.teams import TeamStore
from evref.ports.audit import AuditLog
from evref.ports.catalogue.store import CatalogueStore
from evref.ports.storage import StorageConnections, StorageHealth, StorageSchema
from evref.testing.builders import (
    NOON,
    a_publication,
    a_publication_entry,
    a_secret,
    an_audit_entry,
    an_institution,
)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Stores:
    """A prepared, empty storage; all stores write to it."""

    health: StorageHealth
    schema: StorageSchema
    connections: StorageConnections
    catalogue: CatalogueStore
    keys: KeyStore
    admission: Admission
    usage_reports: UsageReports
    institutions: InstitutionStore
    members: MemberStore
    teams: TeamStore
    audit: AuditLog
    sessions: SessionStore
    sign_in_attempts: SignInAttempts
    secrets: SharedSecrets

    settle: Callable[[], None] = lambda: None
    """Waits as long as a change of a key may take to have effect."""

    expire: Callable[[int], None] = lambda _days: None
    """Lets this number of days pass for records that expire in the storage, if there are any."""

    @classmethod
    def of(cls, container: Container) -> Self:
        """Return the stores of a container; storage that does not exist is created."""
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
            teams=container.teams(),
            audit=container.audit_log(),
            sessions=container.sessions(),
            sign_in_attempts=container.sign_in_attempts(),
            secrets=container.secrets(),
        )


def keep_catalogue(store: CatalogueStore, catalogue: Catalogue, *, at: datetime = NOON) -> None:
    """Publish the catalogue in place of any served one."""
    store.publish(
        catalogue,
        a_publication(catalogue, at=at),
        a_publication_entry(catalogue, at=at),
        replacing=store.version(),
    )


def keep_institutions(stores: Stores, *institution_ids: str) -> None:
    """Store institutions with these ids, which are also their names."""
    for institution_id in institution_ids:
        stores.institutions.add(
            an_institution(institution_id, name=institution_id),
            an_audit_entry(institution_id=institution_id, key_id=None),
        )


def keep_members(stores: Stores, *members: Member) -> None:
    """Store the members in their institutions, which exist."""
    for member in members:
        stores.teams.change(member.institution_id, partial(_with_member, member))


def _with_member(member: Member, team: Team) -> tuple[Team, tuple[AuditEntry]]:
    entry = an_audit_entry(
        institution_id=team.institution_id, action=Action.MEMBER_CREATED, key_id=None
    )
    return replace(team, members=(*team.members, member)), (entry,)


def keep_key(stores: Stores, key: ApiKey) -> str:
    """Store the key, and return the digest of its newest secret."""
    stores.keys.add(key, an_audit_entry(key_id=key.id))
    return key.secrets[-1].digest


def rotate_key(
    stores: Stores,
    key_id: str,
    secret: str,
    keep_old_for: timedelta,
    *,
    instant: datetime = NOON,
    seen: str | None = None,
) -> ApiKey:
    """Rotate the key to `a_secret(secret)`, and return it.

    If `seen` is the id of another secret than the newest, the key is left as it is.
    """

    def change(key: ApiKey) -> tuple[ApiKey, AuditEntry] | None:
        if seen is not None and seen != key.newest.id:
            return None
        added = a_secret(secret, last_four=secret[-4:].rjust(4, "0"), created_at=instant)
        return key.rotated(added, keep_old_for, instant), an_audit_entry(key_id=key_id)

    return stores.keys.change(key_id, change)


def at_once(times: int, act: Callable[[int], Answer]) -> list[Answer]:
    """Call `act` with 0, 1, … in threads that start at the same time, and return the results."""
    together = Barrier(times)

    def start(number: int) -> Answer:
        together.wait()
        return act(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(start, range(times)))
