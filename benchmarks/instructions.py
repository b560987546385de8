"""Counts machine instructions per request with callgrind; the load of the machine has no effect.

Each case runs in two forks of one warmed-up process that send different numbers of requests; the
difference of their counts is the cost of the additional requests. It covers the application only:
no server, no kernel, and only the client side of PostgreSQL or Redis.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from wsgiref.types import WSGIApplication
from wsgiref.util import setup_testing_defaults

from dependency_injector import providers

from benchmarks.cases import CASES, Case
from benchmarks.processes import ROOT
from benchmarks.storages import Keys, new_keys, prepare
from evref.adapters.outbound.system import SystemClock
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue

_WARM_UP, _FEW, _MANY = 5, 10, 60
"""Requests before counting, and in each of the two forks."""

Fields = list[tuple[str, str]]

_COLLECTED = re.compile(r"^==(\d+)== Collected : (\d+)$", re.MULTILINE)


def count_instructions(
    folder: Path, storages: Mapping[str, Settings], catalogue: Catalogue
) -> dict[str, dict[str, int]]:
    """Return the instructions per request, by storage and case; the storages are filled."""
    (folder / "prepared").write_bytes(pickle.dumps((catalogue, dict(storages))))
    done = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.%p"),
            *(sys.executable, "-m", "benchmarks.instructions", str(folder / "prepared")),
        ],
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"benchmarks: cannot count instructions:\n{done.stderr}")
    collected = {int(pid): int(total) for pid, total in _COLLECTED.findall(done.stderr)}
    return {
        storage: {
            case: (collected[many] - collected[few]) // (_MANY - _FEW)
            for case, (few, many) in forks.items()
        }
        for storage, forks in json.loads(done.stdout).items()
    }


def _count(prepared: Path) -> None:
    """Send the requests in forks under callgrind; print the process ids of the forks."""
    catalogue, storages = pickle.loads(prepared.read_bytes())
    forks: dict[str, dict[str, tuple[int, int]]] = {}
    for name, settings in storages.items():
        container = Container(settings=settings)
        clock = SystemClock()
        # Work that is due every half second is not part of a request.
        clock.monotonic = lambda: 0.0  # type: ignore[method-assign]
        container.clock.override(providers.Object(clock))
        if settings.storage is StorageKind.MEMORY:
            prepare(container, catalogue)
        keys, app, forks[name] = new_keys(container), create_app(settings, container), {}
        for case in CASES:
            environ = environ_of(case, keys, app)
            # Connections must not be shared across a fork.
            container.storage().close()
            forks[name][case.name] = _forked(app, environ, _FEW), _forked(app, environ, _MANY)
    sys.stdout.write(json.dumps(forks))


def _forked(app: WSGIApplication, environ: dict[str, object], times: int) -> int:
    """Return the process id of a fork that has sent the requests and ended."""
    if pid := os.fork():
        _, status = os.waitpid(pid, 0)
        if status:
            raise SystemExit(f"a fork ended with status {status}")
        return pid
    for _ in range(_WARM_UP + times):
        send(app, environ)
    os._exit(0)


def environ_of(case: Case, keys: Keys, app: WSGIApplication) -> dict[str, object]:
    """Return the request as a server passes it on, after checking its response once."""
    environ: dict[str, object] = {
        "wsgi.input": BytesIO(),
        "REMOTE_ADDR": "127.0.0.1",
        "PATH_INFO": case.path.partition("?")[0],
        "QUERY_STRING": case.path.partition("?")[2],
        "HTTP_AUTHORIZATION": f"Bearer {keys[case.key]}",
    }
    setup_testing_defaults(environ)
    if case.status == HTTPStatus.NOT_MODIFIED:
        environ["HTTP_IF_NONE_MATCH"] = send(app, environ)[1]["ETag"]
    status, _ = send(app, environ)
    if status != case.status:
        raise SystemExit(f"{case.name} got {status} instead of {case.status}")
    return environ


def send(app: WSGIApplication, environ: dict[str, object]) -> tuple[int, dict[str, str]]:
    """Return status and header fields; like a server, read the body and copy the environ."""
    started: list[tuple[str, Fields]] = []

    def start(status: str, fields: Fields, _error: object = None) -> Callable[[bytes], object]:
        started.append((status, fields))
        return bytes

    response = app(environ.copy(), start)
    deque(response, maxlen=0)
    getattr(response, "close", lambda: None)()
    return int(started[0][0].split()[0]), dict(started[0][1])


if __name__ == "__main__":
    _count(Path(sys.argv[1]))
