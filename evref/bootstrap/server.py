"""gunicorn's configuration, by the names of its settings and hooks.

`evref serve` becomes gunicorn with this module as its configuration; `gunicorn.conf.py` has the
same names for `gunicorn wsgi:app`.
"""

import gc
import os
import resource
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from signal import SIG_BLOCK, SIG_UNBLOCK, SIGTERM, pthread_sigmask
from typing import Any

from evref.bootstrap.app import CONTAINER
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, SettingsError, StorageKind
from evref.domain.errors import NoCatalogueError, StorageUnavailableError

APPLICATION = "evref.bootstrap.app:create_app_or_exit()"
"""What gunicorn loads; the package has no `wsgi.py`."""

OWN_METRICS = "evref-metrics-"
"""The prefix of the metrics folder that `evref serve` creates, and that ends with the server."""

_MOST_CONNECTIONS = 1000
"""The maximum for each worker, if it may open as many files. Others wait in the backlog."""

_FEWEST_CONNECTIONS = 50
_OTHER_FILES = 200
"""Other files that a worker needs: for the database, its threads and the files that it serves."""

_OBJECTS_BEFORE_COLLECTION = 10_000
_METRICS_FILES = ("counter_*.db", "gauge_*.db", "histogram_*.db", "summary_*.db")


def _most_files() -> int:
    """Return how many files a worker may open; without files for its connections it would end."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_CONNECTIONS + _OTHER_FILES
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


worker_class = "gthread"
threads = 16
worker_connections = max(_most_files() - _OTHER_FILES, _FEWEST_CONNECTIONS)
# Seconds for requests in progress to finish after SIGTERM.
graceful_timeout = 30
# Seconds. A proxy must close its idle connections earlier: see deploy/nginx.
keepalive = 5
# Bytes: what nginx accepts with deploy/nginx, so that a field never fails only here.
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 16_384
# No header sets the scheme or the path, because any local client could send it.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
control_socket_disable = True
# Workers share the memory of the code.
preload_app = True


def nworkers_changed(_arbiter: object, workers: int, _before: int | None) -> None:
    """Refuse several workers with storage in memory, before the application fills it."""
    # Invalid settings are an error of the application.
    with suppress(SettingsError):
        if workers > 1 and Settings.read().storage == StorageKind.MEMORY:
            raise SystemExit("evref: EVREF_STORAGE=memory works with one worker only")


def on_starting(arbiter: Any) -> None:  # noqa: ANN401 - gunicorn has no types
    """Prepare what the workers inherit.

    Several workers share the memory of the catalogue. A single worker loads the catalogue itself,
    because shared memory would soon be copied when the worker counts references.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(_most_files(), soft), hard))
    os.register_at_fork(after_in_parent=lambda: pthread_sigmask(SIG_UNBLOCK, {SIGTERM}))
    # By default, the collector takes a sixth of the time in which a large catalogue is loaded.
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    container = _container(arbiter.app.wsgi())
    _remove_metrics(container.settings().metrics_folder)
    if arbiter.cfg.workers > 1:
        _load_catalogue(container)


def pre_fork(arbiter: Any, _worker: object) -> None:  # noqa: ANN401 - as above
    """Close the connections to the database, which processes must not share.

    A new worker would lose a SIGTERM that arrives before it has its own handlers, and serve until
    it is killed with its requests. So the signal waits until the worker has started.
    """
    pthread_sigmask(SIG_BLOCK, {SIGTERM})
    _container(arbiter.app.wsgi()).storage().close()
    # Otherwise the garbage collector would write to, and so copy, the memory that workers share.
    gc.freeze()


def post_worker_init(worker: Any) -> None:  # noqa: ANN401 - as above
    """Start the thread in which a worker follows the catalogue; threads do not survive a fork."""
    container = _container(worker.wsgi)
    if worker.cfg.workers == 1:
        _load_catalogue(container)
    container.browse().follow()
    pthread_sigmask(SIG_UNBLOCK, {SIGTERM})


def worker_exit(_arbiter: object, worker: Any) -> None:  # noqa: ANN401 - as above
    """Write the refused sign-ins that are still in memory when a worker ends."""
    # A worker that could not start has no application.
    if hasattr(worker, "wsgi"):
        _container(worker.wsgi).refused_sign_ins().write()


def on_exit(arbiter: Any) -> None:  # noqa: ANN401 - as above
    """Remove the metrics folder of `evref serve`."""
    folder = _container(arbiter.app.wsgi()).settings().metrics_folder
    if folder is not None and folder.name.startswith(OWN_METRICS):
        rmtree(folder, ignore_errors=True)


def _container(wsgi: Any) -> Container:  # noqa: ANN401 - as above
    container: Container = wsgi.extensions[CONTAINER]
    return container


def _load_catalogue(container: Container) -> None:
    # If either is missing, /health/ready reports it, and workers use it once it is available.
    with suppress(NoCatalogueError, StorageUnavailableError):
        container.browse().current()
    # Each full collection would traverse all entries while every request waits.
    gc.freeze()


def _remove_metrics(folder: Path | None) -> None:
    """Remove the files of ended workers, because prometheus_client never removes counters."""
    if folder is not None:
        for pattern in _METRICS_FILES:
            for file in folder.glob(pattern):
                file.unlink(missing_ok=True)
