"""Provision a demo: enough of everything to try the service at once."""

from dataclasses import dataclass
from datetime import timedelta

from evref.application.manage_institutions import ManageInstitutions
from evref.application.manage_keys import ManageKeys
from evref.domain.access.key import KeyState
from evref.domain.access.principal import Principal
from evref.domain.accounts.institution import Institution
from evref.domain.errors import NotFoundError
from evref.ports.randomness import Randomness

INSTITUTION = "Demo institution"
MEMBER = "demo@example.org"
KEY = "Demo key"


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made; `password` is None where the member was there before."""

    token: str
    password: str | None
    expires: bool


class ProvisionDemo:
    """Makes the demo's institution, member and key where there are none."""

    def __init__(
        self, *, institutions: ManageInstitutions, keys: ManageKeys, randomness: Randomness
    ) -> None:
        self._institutions = institutions
        self._keys = keys
        self._randomness = randomness

    def __call__(self, principal: Principal) -> Demo:
        """Make what is missing, and a key in any case.

        A key that was made before cannot be shown again, so a further one is then made, which
        expires after a day: a ready curl line is what the demo is for.

        Raises:
            NotAllowedError: when the principal has no right to make institutions and members.

        """
        institution = self._institution(principal)
        password = self._password(principal, institution)
        earlier = any(
            found.key.name == KEY and found.state is KeyState.ACTIVE
            for found in self._keys.list(principal, institution.id)
        )
        tomorrow = self._keys.today() + timedelta(days=1)
        made = self._keys.create(
            principal, institution.id, name=KEY, expires_on=tomorrow if earlier else None
        )
        return Demo(made.token.text, password, expires=earlier)

    def _institution(self, principal: Principal) -> Institution:
        try:
            return self._institutions.institution_named(principal, INSTITUTION)
        except NotFoundError:
            return self._institutions.create_institution(principal, INSTITUTION)

    def _password(self, principal: Principal, institution: Institution) -> str | None:
        try:
            self._institutions.member_with_email(principal, MEMBER)
        except NotFoundError:
            password = f"{self._randomness.below(16**16):016x}"
            self._institutions.create_member(principal, institution.id, MEMBER, password=password)
            return password
        return None
