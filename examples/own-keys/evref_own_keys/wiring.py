"""The storage that `EVREF_STORAGE=own-keys` names."""

import os
from collections.abc import Callable
from pathlib import Path

from evref.bootstrap.settings import Settings
from evref.ports.storage import Storage
from evref_own_keys.storage import OwnKeysStorage


def storage(_settings: Settings, default: Callable[[], Storage]) -> Storage:
    """Return a storage with keys and counts in this package's database."""
    return OwnKeysStorage(default(), Path(os.environ.get("KEYS_FILE", "keys.sqlite")))
