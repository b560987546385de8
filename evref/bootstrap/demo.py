"""Fills storage for a first try, and says how to use the service."""

import sys
from datetime import timedelta
from pathlib import Path

from evref.application.catalogue.publish_catalogue import Plan
from evref.bootstrap.container import Container
from evref.domain.errors import NotFoundError
from evref.domain.principal import Operator, Readers

INSTITUTION = "Demo institution"
MEMBER = "demo@example.org"
KEY = "Demo key"

_OPERATOR = Operator()


def prepare(container: Container, by: str) -> Plan | None:
    """Create or migrate the storage, and publish the bundled catalogue if it is newer."""
    container.storage().prepare()
    return container.publish().publish_bundled(_OPERATOR, by=by)


def demo_of(container: Container) -> str:
    """Create what the demo lacks and a new key; return what the operator needs to know."""
    settings, institution_id = container.settings(), _institution_id(container)
    base_url, password = settings.base_url, _password(container, institution_id)
    lines = ["", f"The service is at {base_url}, its API at {base_url}/docs"]
    if settings.catalogue_pages is not Readers.OFF:
        lines.append(f"Read the catalogue at {base_url}/catalogue")
    lines.append(f"Manage keys at {base_url}/settings, as {MEMBER} with {password}")
    keys = container.manage_keys()
    expires_on = None
    if any(
        listed.key.name == KEY and not listed.state.has_ended
        for listed in keys.list(_OPERATOR, institution_id)
    ):
        lines.append(
            "The key of an earlier start cannot be shown again. This key expires tomorrow."
        )
        expires_on = keys.today() + timedelta(days=1)
    token = keys.create(_OPERATOR, institution_id, name=KEY, expires_on=expires_on).token.text
    request = f'curl -H "Authorization: Bearer {token}" {base_url}/api/v1/diagnoses'
    return "\n".join([*lines, "", "Try it:", "", f"  {request}", ""])


def _institution_id(container: Container) -> str:
    institutions = container.manage_institutions()
    try:
        return institutions.institution_named(_OPERATOR, INSTITUTION).id
    except NotFoundError:
        return institutions.create_institution(_OPERATOR, INSTITUTION).id


def _password(container: Container, institution_id: str) -> str:
    """Create the member if they do not exist, and say what their password is."""
    people = container.people()
    try:
        people.with_email(_OPERATOR, MEMBER)
    except NotFoundError:
        password = f"{container.randomness().below(16**16):016x}"
        people.create(_OPERATOR, institution_id, MEMBER, password=password)
        return f"the password {password} (not shown again)"
    program = sys.argv[0] if Path(sys.argv[0]).name == "evref" else "evref"
    return f"your password;\nto set a new one: {program} member reset-password {MEMBER}"
