"""The service with its keys and counts in this storage."""

import os
from pathlib import Path

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref_own_keys.storage import OwnKeysStorage


def container(settings: Settings) -> Container:
    """Build the container; `EVREF_CONTAINER=evref_own_keys.wiring:container` names it."""
    made = Container(settings=settings)
    file = Path(os.environ.get("KEYS_FILE", "keys.sqlite"))
    made.main_storage.override(OwnKeysStorage(made.main_storage(), file))
    return made
