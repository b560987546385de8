"""Fills storage for a first try, and says how to use the service."""

import sys
from collections.abc import Callable
from pathlib import Path

from evref.application.catalogue.publish_catalogue import Plan
from evref.application.provision_demo import MEMBER
from evref.bootstrap.container import Container
from evref.domain.principal import Operator, Readers


def prepare(container: Container, progress: Callable[[int, int], None], by: str) -> Plan | None:
    """Create or migrate the storage, and publish the bundled catalogue if it is newer.

    Returns what it publishes, if anything.
    """
    container.storage().prepare()
    return container.publish().publish_bundled(Operator(), progress, by=by)


def demo_of(container: Container) -> str:
    """Create what the demo lacks and a new key; return what the operator needs to know."""
    settings, demo = container.settings(), container.provision_demo()(Operator())
    base_url = settings.base_url
    lines = ["", f"The service is at {base_url}, its API at {base_url}/docs"]
    if settings.catalogue_pages is not Readers.OFF:
        lines.append(f"Read the catalogue at {base_url}/catalogue")
    if demo.password is None:
        program = sys.argv[0] if Path(sys.argv[0]).name == "evref" else "evref"
        lines.append(f"Manage keys at {base_url}/settings, as {MEMBER} with your password;")
        lines.append(f"to set a new one: {program} member reset-password {MEMBER}")
    else:
        password = f"the password {demo.password} (not shown again)"
        lines.append(f"Manage keys at {base_url}/settings, as {MEMBER} with {password}")
    if demo.expires:
        lines.append(
            "The key of an earlier start cannot be shown again. This key expires tomorrow."
        )
    request = f'curl -H "Authorization: Bearer {demo.token}" {base_url}/api/v1/diagnoses'
    return "\n".join([*lines, "", "Try it:", "", f"  {request}", ""])
