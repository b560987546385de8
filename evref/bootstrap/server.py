"""Runs gunicorn with the project's settings."""

from __future__ import annotations

import gc
import resource
import signal
import socket
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from gunicorn.systemd import listen_fds

from evref.bootstrap import logs
from evref.bootstrap.container import Container
from evref.domain.errors import NoCatalogueError

GRACEFUL_SECONDS = 30
"""How long requests under way may go on after SIGTERM."""

_MOST_CONNECTIONS = 4000
"""Of one worker, however many files it may open. Those that only wait cost it next to nothing."""

_FEWEST_CONNECTIONS = 50
_OTHER_FILES = 200
"""Those that a worker needs besides: its database, its threads', what it serves."""


class AddressInUseError(Exception):
    """Indicates an address that cannot be listened on; its text is one line."""


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's arbiter around one application, built before the workers are forked.

    Workers then share the memory of the code and the catalogue. The one thing that must not
    cross a fork is a database connection, so the storage lets go of its own before. A folder can
    be named that is to be removed when the last worker has ended.
    """

    def __init__(
        self,
        app: Flask,
        container: Container,
        *,
        bind: str,
        workers: int,
        threads: int,
        remove_at_exit: Path | None = None,
    ) -> None:
        self._app = app
        self._remove_at_exit = remove_at_exit
        self._container = container
        self._options = {
            "bind": bind,
            "workers": workers,
            "threads": threads,
            "worker_class": "evref.bootstrap.worker.Worker",
            "preload_app": True,
            "graceful_timeout": GRACEFUL_SECONDS,
            "keepalive": 5,
            "worker_connections": _most_connections(),
            # Fields that any client or proxy sends fit several times over.
            "limit_request_fields": 64,
            "control_socket_disable": True,
            "logger_class": _Log,
            "on_exit": lambda _arbiter: self._clean_up(),
            "pre_fork": lambda _arbiter, _worker: self._before_fork(),
        }
        logs.configure(container.settings().log_format)
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

    def run(self) -> None:
        _Arbiter(self).run()

    def _before_fork(self) -> None:
        self._container.storage().close()
        # Keeps the collector from touching, and so copying, what the workers share.
        gc.freeze()

    def _clean_up(self) -> None:
        if self._remove_at_exit is not None:
            rmtree(self._remove_at_exit, ignore_errors=True)


class _Arbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's, whose workers do not miss a signal in the moment in which they begin.

    Until a worker has its own handlers it has the arbiter's, which would take a SIGTERM for the
    arbiter and forget it: a stop right after a start then lasted until the worker was killed.
    """

    def spawn_worker(self) -> object:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        try:
            return super().spawn_worker()
        finally:
            # In the arbiter; a worker has it unblocked once it can handle it.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log, written as all else is; the application tells of its requests itself."""

    def setup(self, cfg: object) -> None:  # noqa: ARG002 - the log is configured already
        self.error_log.propagate = True

    def access(self, *_: object) -> None:
        pass


def _most_connections() -> int:
    """As many as leave a worker the files that it needs: accepting one too many would end it."""
    files = _MOST_CONNECTIONS + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, soft), hard))
    return max(files - _OTHER_FILES, _FEWEST_CONNECTIONS)


def require_free(bind: str) -> None:
    """Pass silently when `HOST:PORT` can be listened on, or need not be.

    It need not where systemd hands over a socket: gunicorn listens on that one instead.
    Else gunicorn would try for five seconds and end in a traceback.

    Raises:
        AddressInUseError: when it cannot.

    """
    if listen_fds(unset_environment=False):
        return
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
