"""A service in one process, with two institutions and a member of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from copy import copy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import connect

from dependency_injector import providers
from flask import Flask

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import QuotaExceededError
from evref.domain.accounts.institution import Member
from evref.domain.audit import AuditEntry
from evref.domain.principal import Role
from evref.ports.storage import AuditLog
from evref.testing.builders import OPERATOR, a_catalogue
from evref.testing.filling import keep_catalogue
from tests.databases import prepared_sqlite
from tests.fakes import FakeClock, QuickPasswordHasher
from tests.installation import INSTITUTION, Installation

EMAIL = "ward@example.org"
PASSWORD = "correct horse battery"
OTHER_INSTITUTION = "Other Clinic"
OTHER_EMAIL = "other@example.com"
COLLEAGUE = "colleague@example.org"

CATALOGUE = a_catalogue()

MORNING = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def in_memory(**more: object) -> Settings:
    """Return settings that keep everything in memory."""
    return Settings(storage=StorageKind.MEMORY).model_copy(update=more)


def on_sqlite(folder: Path, **more: object) -> Settings:
    """Return settings that keep everything in a file of this folder."""
    return Settings(database_url=prepared_sqlite(folder, CATALOGUE)).model_copy(update=more)


class Site(Installation):
    """A service with a clock that tests set, and with passwords that are hashed quickly."""

    def __init__(self, settings: Settings, now: datetime = MORNING) -> None:
        self.clock = FakeClock(now)
        self.passwords = QuickPasswordHasher()
        super().__init__(settings, self.clock)
        self.container.storage().prepare()
        storage = self.container.storage()
        if not storage.catalogue.history():
            keep_catalogue(storage, CATALOGUE)
        manage = self.container.manage_institutions()
        for institution, email in ((INSTITUTION, EMAIL), (OTHER_INSTITUTION, OTHER_EMAIL)):
            made = manage.create_institution(OPERATOR, institution)
            self.container.people().create(OPERATOR, made.id, email, password=PASSWORD)
        self.app: Flask = create_app(settings, self.container)
        self._containers = [self.container]

    def new_container(self, clock: FakeClock | None) -> Container:
        container = super().new_container(clock)
        container.passwords.override(providers.Object(self.passwords))
        return container

    def in_another_process(self) -> Site:
        """Return a site that shares only the storage and the clock with this one."""
        other = copy(self)
        other.container = self.new_container(self.clock)
        other.app = create_app(self.settings, other.container)
        self._containers.append(other.container)
        return other

    def close(self) -> None:
        """Close the storage connections of all processes."""
        for container in self._containers:
            container.storage().close()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep two other password checks running meanwhile."""
        bulkhead = self.container.bulkhead()
        with bulkhead.turn("192.0.2.8"), bulkhead.turn("192.0.2.9"):
            yield

    def add_member(self, email: str, role: Role) -> Member:
        """Add a member to the first institution, with the password that all members have."""
        added: Member = self.container.people().create(
            OPERATOR,
            self.institution_id(),
            email,
            password=PASSWORD,
            role=role,
        )
        return added

    def invite(self, email: str = COLLEAGUE, role: Role = Role.VIEWER) -> str:
        """Return the path of an operator's invitation to the first institution."""
        _, token = self.container.people().invite(
            OPERATOR, self.institution_id(), email=email, role=role
        )
        return f"/settings/invitation/{token.text}"

    def members(self, institution: str = INSTITUTION) -> dict[str, Role]:
        members = self.container.people().list(OPERATOR, self.institution_id(institution))
        return {member.email: member.role for member in members}

    def only_key(self) -> ApiKey:
        (key,) = self.container.storage().keys.list()
        return key

    def use_key(self, made: NewKey, times: int, *, days_ago: int = 0) -> None:
        """Send this many requests with the key on that day, admitted or not."""
        instant = self.clock.now() - timedelta(days=days_ago)
        for _ in range(times):
            with suppress(QuotaExceededError):
                admission = self.container.storage().admission
                admission.admit(made.token.digest, instant)

    def audit_log(self, institution: str = INSTITUTION) -> tuple[AuditEntry, ...]:
        log: AuditLog = self.container.storage().audit
        return log.entries(self.institution_id(institution))

    def dump(self) -> str:
        """Return everything in storage as text."""
        with closing(connect(self.settings.database_url.removeprefix("sqlite:///"))) as database:
            return "\n".join(database.iterdump())


NewSite = Callable[..., Site]
"""Makes a site with these settings, which is closed at the end of the test."""
