"""Counts machine instructions per request with callgrind; the load of the machine has no effect.

Each case runs in two forks of one warmed-up process that send different numbers of requests; the
difference of their counts is the cost of the additional requests. It covers the application only:
no gunicorn, no kernel, and only the client side of a database server or Redis.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from wsgiref.types import WSGIApplication, WSGIEnvironment

from dependency_injector import providers

from benchmarks.cases import CASES, Case
from benchmarks.storages import Tokens, fill, settings_by_storage
from evref.adapters.outbound.system import SystemClock
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue

WARM_UP, FEW, MANY = 5, 10, 60
"""Requests before counting, and in each of the two forks."""

_COLLECTED = re.compile(r"^==(\d+)== Collected : (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A storage to measure; the counting process fills the one in memory itself."""

    name: str
    settings: Settings
    tokens: Tokens | None


def count_instructions(catalogue: Catalogue) -> dict[str, dict[str, int]] | None:
    """Return the instructions per request, by storage and case; None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    with tempfile.TemporaryDirectory() as name, settings_by_storage(Path(name)) as storages:
        folder = Path(name)
        prepared = [
            _prepare(storage, settings, catalogue) for storage, settings in storages.items()
        ]
        (folder / "prepared").write_bytes(pickle.dumps((catalogue, prepared)))
        return _run(folder)


def _prepare(name: str, settings: Settings, catalogue: Catalogue) -> _Prepared:
    if settings.storage is StorageKind.MEMORY:
        return _Prepared(name, settings, None)
    return _Prepared(name, settings, fill(Container(settings=settings), catalogue))


def _run(folder: Path) -> dict[str, dict[str, int]]:
    done = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.%p"),
            *(sys.executable, "-m", "benchmarks.instructions", str(folder)),
        ],
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"benchmarks: cannot count instructions:\n{done.stderr}")
    collected = {int(pid): int(total) for pid, total in _COLLECTED.findall(done.stderr)}
    return {
        storage: {
            case: (collected[many] - collected[few]) // (MANY - FEW)
            for case, (few, many) in forks.items()
        }
        for storage, forks in json.loads(done.stdout).items()
    }


class _StandingClock(SystemClock):
    """The time of day, but a monotonic clock that stands still.

    Work that is due every half second is not part of a request.
    """

    def monotonic(self) -> float:
        return 0.0


def count(folder: Path) -> None:
    """Send the requests in forks under callgrind; print the process ids of the forks."""
    catalogue, storages = pickle.loads((folder / "prepared").read_bytes())
    forks: dict[str, dict[str, tuple[int, int]]] = {}
    for prepared in storages:
        container = Container(settings=prepared.settings)
        container.clock.override(providers.Object(_StandingClock()))
        tokens = prepared.tokens or fill(container, catalogue)
        app = create_app(prepared.settings, container)
        forks[prepared.name] = {}
        for case in CASES:
            environ = _environ(case, tokens, app)
            # Connections must not be shared across a fork.
            container.connections().close()
            forks[prepared.name][case.name] = (
                _forked(app, environ, FEW),
                _forked(app, environ, MANY),
            )
    sys.stdout.write(json.dumps(forks))


def _forked(app: WSGIApplication, environ: WSGIEnvironment, times: int) -> int:
    """Return the process id of a fork that has sent the requests and ended."""
    pid = os.fork()
    if pid == 0:
        for _ in range(WARM_UP + times):
            _request(app, environ)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit(f"a fork ended with status {status}")
    return pid


def _environ(case: Case, tokens: Tokens, app: WSGIApplication) -> WSGIEnvironment:
    """Return the request as gunicorn passes it on, after checking its response once."""
    path, _, query = case.path.partition("?")
    environ: WSGIEnvironment = {
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(),
        "wsgi.input_terminated": True,
        "SERVER_SOFTWARE": "gunicorn",
        "REQUEST_METHOD": "GET",
        "QUERY_STRING": query,
        "RAW_URI": case.path,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "HTTP_AUTHORIZATION": f"Bearer {tokens.of(case.holder)}",
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_PORT": "50000",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "PATH_INFO": path,
        "SCRIPT_NAME": "",
    }
    if case.is_conditional:
        _, headers = _request(app, environ)
        environ["HTTP_IF_NONE_MATCH"] = headers["ETag"]
    status, _ = _request(app, environ)
    if status != case.status:
        raise SystemExit(f"{case.name} got {status} instead of {case.status}")
    return environ


def _request(app: WSGIApplication, environ: WSGIEnvironment) -> tuple[int, dict[str, str]]:
    """Return status and headers; like a server, read the body and copy the environ."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _error: object = None
    ) -> Callable[[bytes], object]:
        started.append((status, headers))
        return bytes

    for _ in (response := app(environ.copy(), start_response)):
        pass
    if (close := getattr(response, "close", None)) is not None:
        close()
    status, headers = started[0]
    return int(status.split()[0]), dict(headers)


if __name__ == "__main__":
    count(Path(sys.argv[1]))
