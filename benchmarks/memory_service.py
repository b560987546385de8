"""Runs the service with in-memory storage, where no command could create the keys."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.storages import bundled, fill
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.server import Server
from evref.bootstrap.settings import Settings, StorageKind


def main(bind: str, tokens: Path) -> None:
    """Write the keys to a file and serve."""
    settings = Settings(storage=StorageKind.MEMORY)
    container = Container(settings=settings)
    tokens.write_text(json.dumps(asdict(fill(container, bundled()))))
    Server(create_app(settings, container), container, bind=bind, workers=1, threads=4).run()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
