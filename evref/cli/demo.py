"""What `evref demo` makes: enough of everything to try the service at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from evref.bootstrap.container import Container
from evref.cli.institutions import OPERATOR
from evref.domain.access.key import KeyState
from evref.domain.errors import NotFoundError

INSTITUTION = "Demo institution"
MEMBER = "demo@example.org"
KEY = "Demo key"


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made; `password` is None where the member was there before."""

    token: str
    password: str | None
    expires: bool


def prepare(container: Container) -> Demo:
    """Make the demo's institution, member and key where there are none.

    A key that was made before cannot be shown again, so a further one is then made, which
    expires after a day: a ready curl line is what the command is for.
    """
    try:
        container.institutions().named(INSTITUTION)
    except NotFoundError:
        container.manage_institutions().create_institution(INSTITUTION, actor=OPERATOR)
    password = _member(container)
    earlier = any(
        found.key.name == KEY and found.state is KeyState.ACTIVE
        for found in container.manage_keys().list()
        if found.institution.name == INSTITUTION
    )
    tomorrow = container.clock().now().date() + timedelta(days=1)
    made = container.manage_keys().create(
        institution_name=INSTITUTION,
        name=KEY,
        actor=OPERATOR,
        expires_on=tomorrow if earlier else None,
    )
    return Demo(made.token.text, password, expires=earlier)


def _member(container: Container) -> str | None:
    try:
        container.members().with_email(MEMBER)
    except NotFoundError:
        password = f"{container.randomness().below(16**16):016x}"
        container.manage_institutions().create_member(
            MEMBER, institution_name=INSTITUTION, password=password, actor=OPERATOR
        )
        return password
    return None
