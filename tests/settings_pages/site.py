"""The settings pages of a service in one process, with two institutions and a member of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from copy import copy
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from sqlite3 import connect
from tempfile import TemporaryDirectory

from dependency_injector import providers
from flask import Flask

from evref.app import create_app
from evref.application.manage_keys import NewKey
from evref.container import Container
from evref.domain.access import Permission
from evref.domain.institution import AuditEntry
from evref.ports.audit import AuditLog
from evref.settings import Settings, StorageKind
from evref.testing.builders import a_catalogue
from evref.testing.stores import keep_catalogue
from tests.fakes import FakeClock, QuickPasswordHasher

INSTITUTION = "General Hospital"
EMAIL = "ward@example.org"
PASSWORD = "correct horse battery"
OTHER_INSTITUTION = "Other Clinic"
OTHER_EMAIL = "other@example.com"

MORNING = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)

STORAGES = ("memory", "sqlite")


def settings_for(storage: str, folder: Path, **more: object) -> Settings:
    """Settings of a service that keeps everything in memory, or in a file of this folder."""
    kind = StorageKind.MEMORY if storage == "memory" else StorageKind.SQL
    file = folder / "evref.sqlite"
    if kind is StorageKind.SQL:
        file.write_bytes(_prepared_sqlite())
    return replace(
        Settings(storage=kind, database_url=f"sqlite:///{file}"),
        **more,  # type: ignore[arg-type]  # of whichever setting
    )


@cache
def _prepared_sqlite() -> bytes:
    # Copying a file takes a hundredth of the time that its migrations take.
    with TemporaryDirectory() as folder:
        file = Path(folder) / "evref.sqlite"
        storage = Container(settings=Settings(database_url=f"sqlite:///{file}")).storage()
        storage.prepare()
        storage.close()
        return file.read_bytes()


class Site:
    """A service at a time of one's choice, whose passwords are quickly hashed."""

    def __init__(self, settings: Settings, now: datetime = MORNING) -> None:
        self.settings = settings
        self.clock = FakeClock(now)
        self.passwords = QuickPasswordHasher()
        self.container = self._new_container()
        self.container.storage().prepare()
        keep_catalogue(self.container.catalogue_store(), a_catalogue())
        manage = self.container.manage_institutions()
        for institution, email in ((INSTITUTION, EMAIL), (OTHER_INSTITUTION, OTHER_EMAIL)):
            manage.create_institution(institution, actor="operator")
            manage.create_member(
                email, institution_name=institution, password=PASSWORD, actor="operator"
            )
        self.app: Flask = create_app(settings, self.container)

    def _new_container(self) -> Container:
        container = Container(settings=self.settings)
        container.clock.override(providers.Object(self.clock))
        container.passwords.override(providers.Object(self.passwords))
        return container

    def in_another_process(self) -> Site:
        """The same site, with nothing shared but storage and the time."""
        other = copy(self)
        other.container = self._new_container()
        other.app = create_app(self.settings, other.container)
        return other

    def make_key(
        self,
        name: str = "Ward app",
        *,
        institution: str = INSTITUTION,
        limit: int = 1000,
        permission: Permission = Permission.READ,
        expires_on: date | None = None,
    ) -> NewKey:
        return self.container.manage_keys().create(
            institution_name=institution,
            name=name,
            actor="operator",
            daily_limit=limit,
            permission=permission,
            expires_on=expires_on,
        )

    def use_key(self, made: NewKey, times: int, *, days_ago: int = 0) -> None:
        """Ask so often with the key on that day, over its limit or not."""
        day = self.clock.now().date() - timedelta(days=days_ago)
        for _ in range(times):
            self.container.usage().admit(made.token.digest, Permission.READ, day)

    def audit_log(self, institution: str = INSTITUTION) -> tuple[AuditEntry, ...]:
        found = self.container.institutions().named(institution)
        log: AuditLog = self.container.audit_log()
        return log.entries(found.id)

    def kept_sessions(self) -> int:
        """How many sessions storage holds, ended ones included."""
        if self.settings.storage is StorageKind.MEMORY:
            return len(self.container.state().sessions)
        with closing(connect(self.settings.database_url.removeprefix("sqlite:///"))) as database:
            (count,) = database.execute("SELECT count(*) FROM sessions").fetchone()
        return int(count)

    def dump(self) -> str:
        """Everything that storage holds, as text."""
        if self.settings.storage is StorageKind.MEMORY:
            state = self.container.state()
            return "\n".join(
                str(
                    [getattr(row, name) for name in row.__slots__]
                    if hasattr(row, "__slots__")
                    else row
                )
                for field in fields(state)
                for row in _rows(getattr(state, field.name))
            )
        with closing(connect(self.settings.database_url.removeprefix("sqlite:///"))) as database:
            return "\n".join(database.iterdump())


def _rows(records: object) -> Iterator[object]:
    if isinstance(records, dict):
        yield from records
        yield from records.values()
    elif isinstance(records, list):
        yield from records
