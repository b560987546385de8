"""The service with in-memory storage, where no command could create the keys."""

import json
import os
from pathlib import Path

from benchmarks.storages import bundled, new_keys, prepare
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind

_settings = Settings(storage=StorageKind.MEMORY)
_container = Container(settings=_settings)
prepare(_container, bundled())
Path(os.environ["KEYS"]).write_text(json.dumps(new_keys(_container)))
app = create_app(_settings, _container)
