"""Runs gunicorn with the project's settings."""

from __future__ import annotations

import gc
import socket
from contextlib import suppress
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from evref.container import Container
from evref.domain.errors import NoCatalogueError

GRACEFUL_SECONDS = 30
"""How long requests under way may go on after SIGTERM."""


class AddressInUseError(Exception):
    """Indicates an address that cannot be listened on; its text is one line."""


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's arbiter around one application, built before the workers are forked.

    Workers then share the memory of the code and the catalogue. The one thing that must not
    cross a fork is a database connection, so the storage lets go of its own before.
    """

    def __init__(
        self, app: Flask, container: Container, *, bind: str, workers: int, threads: int
    ) -> None:
        self._app = app
        self._container = container
        self._options = {
            "bind": bind,
            "workers": workers,
            "threads": threads,
            "worker_class": "evref.worker.Worker",
            "preload_app": True,
            "graceful_timeout": GRACEFUL_SECONDS,
            "keepalive": 5,
            "control_socket_disable": True,
            "pre_fork": lambda _arbiter, _worker: self._before_fork(),
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        # Without one, /health/ready says so, and the workers see it as soon as it is loaded.
        with suppress(NoCatalogueError):
            self._container.browse().current()
        self._before_fork()
        return self._app

    def _before_fork(self) -> None:
        self._container.storage().close()
        # Keeps the collector from touching, and so copying, what the workers share.
        gc.freeze()


def require_free(bind: str) -> None:
    """Pass silently when `HOST:PORT` can be listened on.

    gunicorn would try for five seconds and end in a traceback.

    Raises:
        AddressInUseError: when it cannot.

    """
    host, _, port = bind.rpartition(":")
    try:
        found: list[Any] = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        raise AddressInUseError(f"cannot listen on {bind}: {error.strerror or error}") from None
    except UnicodeError:
        raise AddressInUseError(f"cannot listen on {bind}: that is no host name") from None
