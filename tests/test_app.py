"""The application that a WSGI server loads, and the settings of gunicorn."""

from __future__ import annotations

from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.server import GRACEFUL_SECONDS, Server
from evref.bootstrap.settings import Settings, StorageKind


def test_the_application_is_made_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Creating it does not access storage, which may not exist yet."""
    monkeypatch.setenv("EVREF_BASE_URL", "https://evref.example.org")

    app = create_app()

    assert isinstance(app.spec, dict)
    assert [server["url"] for server in app.spec["servers"]] == ["https://evref.example.org"]
    assert list(folder.iterdir()) == []


def test_gunicorn_gets_the_settings_of_the_server() -> None:
    container = Container(settings=Settings(storage=StorageKind.MEMORY))
    app = create_app(container.settings(), container)

    server = Server(app, container, bind="127.0.0.1:18999", workers=3, threads=5)

    assert server.cfg.address == [("127.0.0.1", 18999)]
    assert (server.cfg.workers, server.cfg.threads) == (3, 5)
    assert server.cfg.preload_app
    assert server.cfg.graceful_timeout == GRACEFUL_SECONDS
