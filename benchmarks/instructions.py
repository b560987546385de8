"""Machine instructions a request, counted by callgrind: the same each time, on a busy machine too.

Each case runs in forks of one process that has started and warmed up; of two forks that differ in
how often they ask, the difference is what the requests took. It counts the application alone:
no gunicorn, no kernel, and of a database or Redis on a server only what the client does.
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
    """A storage to count on; that in memory is filled by whoever counts."""

    name: str
    settings: Settings
    tokens: Tokens | None


def count_instructions(catalogue: Catalogue) -> dict[str, dict[str, int]] | None:
    """Instructions a request, by storage and case; None where there is no valgrind."""
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
        raise SystemExit(f"benchmarks: instructions could not be counted:\n{done.stderr}")
    collected = {int(pid): int(total) for pid, total in _COLLECTED.findall(done.stderr)}
    return {
        storage: {
            case: (collected[many] - collected[few]) // (MANY - FEW)
            for case, (few, many) in forks.items()
        }
        for storage, forks in json.loads(done.stdout).items()
    }


class _StandingClock(SystemClock):
    """The time of day, and no half seconds that pass: what they bring is not of a request."""

    def monotonic(self) -> float:
        return 0.0


def count(folder: Path) -> None:
    """Ask in forks, run by callgrind; prints the process ids of the forks."""
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
            # No connection goes across a fork.
            container.connections().close()
            forks[prepared.name][case.name] = (
                _forked(app, environ, FEW),
                _forked(app, environ, MANY),
            )
    sys.stdout.write(json.dumps(forks))


def _forked(app: WSGIApplication, environ: WSGIEnvironment, times: int) -> int:
    """The process id of a fork that has asked so often and ended."""
    pid = os.fork()
    if pid == 0:
        for _ in range(WARM_UP + times):
            _ask(app, environ)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit(f"a fork ended with status {status}")
    return pid


def _environ(case: Case, tokens: Tokens, app: WSGIApplication) -> WSGIEnvironment:
    """The request as gunicorn hands it on; asked once, to see that its answer is as expected."""
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
        _, headers = _ask(app, environ)
        environ["HTTP_IF_NONE_MATCH"] = headers["ETag"]
    status, _ = _ask(app, environ)
    if status != case.status:
        raise SystemExit(f"{case.name} got {status} instead of {case.status}")
    return environ


def _ask(app: WSGIApplication, environ: WSGIEnvironment) -> tuple[int, dict[str, str]]:
    """Status and headers; like a server, it takes the body, and makes each request anew."""
    told: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _error: object = None
    ) -> Callable[[bytes], object]:
        told.append((status, headers))
        return bytes

    for _ in (answer := app(environ.copy(), start_response)):
        pass
    if (close := getattr(answer, "close", None)) is not None:
        close()
    status, headers = told[0]
    return int(status.split()[0]), dict(headers)


if __name__ == "__main__":
    count(Path(sys.argv[1]))
