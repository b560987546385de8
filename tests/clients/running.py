"""The service on a port of this machine, as those see it who call it from outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.testing.builders import OPERATOR
from tests.institutions import institution_id
from tests.servers import free_port, serving, wait_until

REPOSITORY = Path(__file__).parents[2]


class Running:
    """A service with the bundled catalogue, its address and its container."""

    def __init__(self, container: Container) -> None:
        self.url = container.settings().base_url
        self._container = container

    def key(self, *, limit: int = 1000) -> str:
        """The token of a new key."""
        made = self._container.manage_keys().create(
            OPERATOR,
            institution_id(self._container, "Hospital"),
            name="A client",
            daily_limit=limit,
        )
        return made.token.text

    def document(self) -> bytes:
        """The OpenAPI document, as anybody downloads it."""
        with urlopen(f"{self.url}/api/v1/openapi.json", timeout=30) as answer:
            body: bytes = answer.read()
            return body

    def is_ready(self) -> bool:
        try:
            with urlopen(f"{self.url}/health/ready", timeout=5):
                return True
        except URLError:
            return False


@contextmanager
def running(storage: StorageKind, folder: Path) -> Iterator[Running]:
    """A service until the context is left: by gunicorn over SQLite, else over its own memory."""
    settings = Settings(
        storage=storage,
        database_url=f"sqlite:///{folder / 'evref.sqlite'}",
        base_url=f"http://127.0.0.1:{free_port()}",
    )
    container = Container(settings=settings)
    with closing(container.storage()):
        container.storage().prepare()
        container.publish().publish_bundled(OPERATOR, lambda _done, _total: None, by="operator")
        container.manage_institutions().create_institution(OPERATOR, "Hospital")
        service = Running(container)
        serve = _in_memory if storage is StorageKind.MEMORY else _by_gunicorn
        with serve(settings, container, folder):
            wait_until(service.is_ready)
            yield service


@contextmanager
def _by_gunicorn(settings: Settings, _: Container, folder: Path) -> Iterator[None]:
    others = {name: text for name, text in os.environ.items() if not name.startswith("EVREF_")}
    told = {
        "EVREF_DATABASE_URL": settings.database_url,
        "EVREF_BASE_URL": settings.base_url,
        "EVREF_CATALOGUE_PAGES": "public",
    }
    bind = settings.base_url.removeprefix("http://")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "evref", "serve", "--bind", bind, "--workers", "2"],
            cwd=folder,
            env={**others, **told, "PYTHONPATH": str(REPOSITORY)},
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def _in_memory(settings: Settings, container: Container, _: Path) -> Iterator[None]:
    host, port = settings.base_url.removeprefix("http://").split(":")
    with (
        socket.create_server((host, int(port))) as listening,
        serving(create_app(settings, container), listening),
    ):
        yield
