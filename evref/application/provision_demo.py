"""Provision a demo: an institution, a member and a key for a first try."""

from dataclasses import dataclass
from datetime import timedelta

from evref.application.access.manage_keys import ManageKeys
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.people import People
from evref.domain.accounts.institution import Institution
from evref.domain.errors import NotFoundError
from evref.domain.principal import Principal
from evref.ports.system import Randomness

INSTITUTION = "Demo institution"
MEMBER = "demo@example.org"
KEY = "Demo key"


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo; `password` is None if the member already existed."""

    token: str
    password: str | None
    expires: bool


@dataclass(kw_only=True, eq=False)
class ProvisionDemo:
    institutions: ManageInstitutions
    people: People
    keys: ManageKeys
    randomness: Randomness

    def __call__(self, principal: Principal) -> Demo:
        """Create what is missing.

        A key is always created, because an existing key cannot be shown again; it expires after a
        day.
        """
        institution = self._institution(principal)
        password = self._password(principal, institution)
        earlier = any(
            listed.key.name == KEY and not listed.state.has_ended
            for listed in self.keys.list(principal, institution.id)
        )
        tomorrow = self.keys.today() + timedelta(days=1)
        created = self.keys.create(
            principal, institution.id, name=KEY, expires_on=tomorrow if earlier else None
        )
        return Demo(created.token.text, password, expires=earlier)

    def _institution(self, principal: Principal) -> Institution:
        try:
            return self.institutions.institution_named(principal, INSTITUTION)
        except NotFoundError:
            return self.institutions.create_institution(principal, INSTITUTION)

    def _password(self, principal: Principal, institution: Institution) -> str | None:
        try:
            self.people.with_email(principal, MEMBER)
        except NotFoundError:
            password = f"{self.randomness.below(16**16):016x}"
            self.people.create(principal, institution.id, MEMBER, password=password)
            return password
        return None
