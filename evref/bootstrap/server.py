"""Runs stock gunicorn and its threaded worker, with the settings of this project."""

import errno
import gc
import os
import resource
import signal
import socket
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from types import FrameType
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.systemd import listen_fds

from evref.bootstrap import logs
from evref.bootstrap.app import CONTAINER
from evref.bootstrap.container import Container
from evref.domain.errors import NoCatalogueError, StorageUnavailableError

GRACEFUL_SECONDS = 30
"""Time for requests in progress to finish after SIGTERM."""

DEFAULT_THREADS = 16

_MOST_CONNECTIONS = 1000
"""The maximum for each worker, if it may open as many files. Others wait in the backlog."""

_FEWEST_CONNECTIONS = 50
_OTHER_FILES = 200
"""Other files that a worker needs: for the database, its threads and the files that it serves."""

_OBJECTS_BEFORE_COLLECTION = 10_000
_LAST_PORT = 65535
_METRICS_FILES = ("counter_*.db", "gauge_*.db", "histogram_*.db", "summary_*.db")


class AddressInUseError(Exception):
    """Indicates an address that the server cannot listen on; the message is one line."""


def gunicorn_settings() -> dict[str, Any]:
    """Return the settings for gunicorn, by its names, for every way to run the service.

    Also raises the limit of open files of this process as needed, if the system allows it, and
    makes its garbage collector run less often.
    """
    # By default, the collector takes a sixth of the time in which a large catalogue is loaded.
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    return {
        "worker_class": "gthread",
        "threads": DEFAULT_THREADS,
        "worker_connections": _most_connections(),
        "graceful_timeout": GRACEFUL_SECONDS,
        # Seconds. A proxy must close its idle connections earlier: see deploy/nginx.
        "keepalive": 5,
        # Bytes: what nginx accepts with deploy/nginx, so that a field never fails only here.
        "limit_request_line": 8190,
        "limit_request_fields": 64,
        "limit_request_field_size": 16_384,
        # No header sets the scheme or the path, because any local client could send it.
        "forwarder_headers": "",
        "secure_scheme_headers": {},
        "control_socket_disable": True,
        "when_ready": _end_starting_workers_on_sigterm,
        "post_worker_init": _follow_catalogue,
        "worker_exit": _write_refused_sign_ins,
    }


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's arbiter with one application, which is built before the workers are forked.

    Several workers then share the memory of the code and the catalogue. A single worker loads the
    catalogue itself, because shared memory would soon be copied when the worker counts references.
    Database connections must not be shared across a fork, so the storage closes its connections
    before it. An optional folder is removed after the last worker has ended.
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
            **gunicorn_settings(),
            "bind": bind,
            "workers": workers,
            "threads": threads,
            "preload_app": True,
            # None: load() configures the log, for gunicorn too.
            "errorlog": None,
            "on_starting": lambda _arbiter: remove_metrics_of_ended_workers(
                container.settings().metrics_folder
            ),
            "on_exit": lambda _arbiter: self._clean_up(),
            "pre_fork": lambda _arbiter, _worker: self._before_fork(),
            "post_worker_init": self._begin,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        # gunicorn has configured its own log by now, and has written nothing yet.
        logs.configure(self._container.settings().log_format)
        if self._options["workers"] != 1:
            self._load_catalogue()
        self._before_fork()
        return self._app

    def _begin(self, worker: Any) -> None:  # noqa: ANN401 - gunicorn has no types
        if self._options["workers"] == 1:
            self._load_catalogue()
        _follow_catalogue(worker)

    def _load_catalogue(self) -> None:
        # If either is missing, /health/ready reports it, and workers use it once it is available.
        with suppress(NoCatalogueError, StorageUnavailableError):
            self._container.browse().current()
        # Each full collection would traverse all entries while every request waits.
        gc.freeze()

    def _before_fork(self) -> None:
        self._container.storage().close()
        # Otherwise the garbage collector would write to, and so copy, the memory that workers
        # share.
        gc.freeze()

    def _clean_up(self) -> None:
        if self._remove_at_exit is not None:
            rmtree(self._remove_at_exit, ignore_errors=True)


def _follow_catalogue(worker: Any) -> None:  # noqa: ANN401 - gunicorn has no types
    """Start the thread in which a worker follows the catalogue; threads do not survive a fork."""
    worker.wsgi.extensions[CONTAINER].browse().follow()


def _write_refused_sign_ins(_arbiter: object, worker: Any) -> None:  # noqa: ANN401 - as above
    """Write the refused sign-ins that are still in memory when a worker ends."""
    # A worker that could not start has no application.
    if hasattr(worker, "wsgi"):
        worker.wsgi.extensions[CONTAINER].refused_sign_ins().write()


def _end_starting_workers_on_sigterm(_arbiter: object) -> None:
    """Make a worker end on SIGTERM before it has its own signal handlers.

    Until then it has the arbiter's handler, which would ignore the signal in the worker: a stop
    right after a start would then last until the worker is killed.
    """
    arbiter = os.getpid()
    handle: Any = signal.getsignal(signal.SIGTERM)

    def on_sigterm(number: int, frame: FrameType | None) -> None:
        if os.getpid() != arbiter:
            os._exit(0)
        handle(number, frame)

    signal.signal(signal.SIGTERM, on_sigterm)


def remove_metrics_of_ended_workers(folder: Path | None) -> None:
    """Remove the metrics files in a folder; call it before the workers start.

    prometheus_client never removes the files of counters, so each start would add more.
    """
    if folder is None:
        return
    for pattern in _METRICS_FILES:
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def _most_connections() -> int:
    """Return the limit that leaves a worker the files that it needs; without files it would end."""
    files = _MOST_CONNECTIONS + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, soft), hard))
    return max(files - _OTHER_FILES, _FEWEST_CONNECTIONS)


def require_free(bind: str) -> None:
    """Check that the server can listen on `HOST:PORT`, because gunicorn's own error is unclear.

    gunicorn retries for five seconds and ends with a traceback. With socket activation by
    systemd, nothing is checked: gunicorn listens on the socket that systemd passes.

    Raises:
        AddressInUseError: If the server cannot listen on the address.

    """
    if listen_fds(unset_environment=False):
        return
    host, _, port = bind.rpartition(":")
    try:
        addresses: list[Any] = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, address in addresses:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.EADDRINUSE:
            reason += f"; use another port, such as --bind {host}:{_another(int(port))}"
        raise AddressInUseError(f"cannot listen on {bind}: {reason}") from None
    except UnicodeError:
        raise AddressInUseError(f"cannot listen on {bind}: it is not a host name") from None


def _another(port: int) -> int:
    return port + 1 if port < _LAST_PORT else port - 1
