"""The application that a WSGI server loads, and the settings of gunicorn."""

from __future__ import annotations

import gc
import runpy
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from apiflask import APIFlask

from evref.bootstrap.app import create_app, create_app_or_exit
from evref.bootstrap.container import Container
from evref.bootstrap.server import GRACEFUL_SECONDS, AddressInUseError, Server, require_free
from evref.bootstrap.settings import Settings, StorageKind


@pytest.fixture
def container(folder: Path) -> Iterator[Container]:
    """A prepared database in the working directory, where the default settings look for it."""
    made = Container(settings=Settings())
    made.storage().prepare()
    yield made
    made.storage().close()


def test_the_application_is_made_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without touching storage, which may not be there yet."""
    monkeypatch.setenv("EVREF_BASE_URL", "https://evref.example.org")

    app = create_app()

    assert isinstance(app.spec, dict)
    assert [server["url"] for server in app.spec["servers"]] == ["https://evref.example.org"]
    assert list(folder.iterdir()) == []


def test_wsgi_offers_the_application(container: Container) -> None:
    """For any WSGI server."""
    found = runpy.run_path(str(Path(__file__).parents[1] / "wsgi.py"))

    assert isinstance(found["app"], APIFlask)


def test_storage_out_of_reach_keeps_nothing_from_starting(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The operator sees a warning, and requests get 503 until storage is back."""
    (folder / "evref.sqlite").write_bytes(b"This is no database. " * 500)

    app = create_app_or_exit()

    told = capsys.readouterr().err
    assert isinstance(app, APIFlask)
    assert told.startswith("evref: starting without storage: ")
    assert len(told.splitlines()) == 1


def test_gunicorn_is_told_what_was_asked_for(container: Container) -> None:
    """And to end what it has begun before it stops."""
    server = Server(
        create_app(container.settings(), container),
        container,
        bind="127.0.0.1:18999",
        workers=3,
        threads=5,
    )

    assert server.cfg.address == [("127.0.0.1", 18999)]
    assert (server.cfg.workers, server.cfg.threads) == (3, 5)
    assert server.cfg.preload_app
    assert server.cfg.graceful_timeout == GRACEFUL_SECONDS


@pytest.mark.parametrize("storage", list(StorageKind))
def test_the_application_is_loaded_with_or_without_a_catalogue(
    folder: Path, storage: StorageKind
) -> None:
    """Workers see one as soon as it is there."""
    container = Container(settings=Settings(storage=storage))
    container.storage().prepare()
    app = create_app(container.settings(), container)
    server = Server(app, container, bind="127.0.0.1:18999", workers=1, threads=1)

    try:
        assert server.load() is app
        server.cfg.pre_fork(None, None)
    finally:
        gc.unfreeze()
        container.storage().close()


def test_a_free_address_is_free() -> None:
    """Asking leaves it so."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(AddressInUseError, match=f"127.0.0.1:{port}"):
            require_free(f"127.0.0.1:{port}")

    require_free(f"127.0.0.1:{port}")
    require_free(f"127.0.0.1:{port}")
