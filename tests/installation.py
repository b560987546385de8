"""A service in this process, and what its operator does with it."""

from __future__ import annotations

from datetime import date

from dependency_injector import providers

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref.domain.access.key import Permission
from evref.testing.builders import OPERATOR
from tests.fakes import FakeClock

INSTITUTION = "General Hospital"


class Installation:
    """The settings and the container of a service, whose clock may be a fake."""

    def __init__(self, settings: Settings, clock: FakeClock | None = None) -> None:
        self.settings = settings
        self.container = self.new_container(clock)

    def new_container(self, clock: FakeClock | None) -> Container:
        container = Container(settings=self.settings)
        if clock is not None:
            container.clock.override(providers.Object(clock))
            # Otherwise a later request serves what takes longer to load than a request waits.
            container.browse.add_kwargs(run=lambda load: load())
        return container

    def close(self) -> None:
        self.container.storage().close()

    def institution_id(self, name: str = INSTITUTION) -> str:
        return self.container.manage_institutions().institution_named(OPERATOR, name).id

    def new_key(
        self,
        name: str = "Ward app",
        *,
        institution: str = INSTITUTION,
        limit: int = 1000,
        permission: Permission = Permission.READ,
        expires_on: date | None = None,
    ) -> NewKey:
        return self.container.manage_keys().create(
            OPERATOR,
            self.institution_id(institution),
            name=name,
            daily_limit=limit,
            permission=permission,
            expires_on=expires_on,
        )
