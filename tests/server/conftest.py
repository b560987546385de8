"""Real servers; each is in its own process group, which ends with the test."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.settings import Settings
from evref.testing.builders import OPERATOR
from tests.deploy.shell import output
from tests.installation import INSTITUTION, Installation
from tests.servers import PATIENCE, free_port, wait_until

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Answer:
    """A response with its whole body."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """A persistent connection, as a client library keeps one."""

    def __init__(self, port: int) -> None:
        self._http = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def get(self, path: str, token: str | None = None) -> Answer:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http.request("GET", path, headers=headers)
        response = self._http.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())

    def close(self) -> None:
        self._http.close()


class Server:
    """A server process, with its port, working directory and output."""

    def __init__(self, command: list[str], folder: Path, port: int, env: dict[str, str]) -> None:
        self.folder = folder
        self.port = port
        self._log = folder / f"log-{port}"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, token: str | None = None) -> Answer:
        """Return the response to a request on a new connection."""
        with contextlib.closing(Connection(self.port)) as connection:
            return connection.get(path, token)

    def wait_until_ready(self, workers: int = 1) -> None:
        """Wait until the server responds and has this many workers."""
        wait_until(
            lambda: self._is_ready() and len(self.workers()) >= workers,
            lambda: f"not ready:\n{self.log}",
        )

    def wait_until_ended(self) -> int:
        return self.process.wait(PATIENCE)

    def processes(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def workers(self) -> list[int]:
        return [worker.pid for worker in self.processes()]

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self.log
        with contextlib.suppress(OSError):
            return self.get("/health/ready").status == 200
        return False


def environment(**settings: str) -> dict[str, str]:
    """Return the environment of this process with these settings and no others."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("EVREF_")}
    named = {f"EVREF_{name.upper()}": text for name, text in settings.items()}
    # The second has what an installed package has: the entry point of patient.py.
    path = f"{REPOSITORY}:{REPOSITORY / 'tests' / 'server' / 'installed'}"
    return {**kept, "PYTHONPATH": path, **named}


def evref(folder: Path, *arguments: str) -> str:
    """Return the output of a command that runs in its own process, as for an operator."""
    return output(sys.executable, "-m", "evref", *arguments, cwd=folder, env=environment())


class Store(Installation):
    """The database in a folder, used without starting a process for each command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "evref.sqlite").write_bytes(_database())
        super().__init__(_settings(folder))

    def key(self, limit: int = 1_000_000) -> NewKey:
        return self.new_key(limit=limit)


def _settings(folder: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{folder / 'evref.sqlite'}")


@cache
def _database() -> bytes:
    # Publishing takes seconds, copying a file does not.
    with TemporaryDirectory() as folder:
        container = Installation(_settings(Path(folder))).container
        container.storage().prepare()
        container.publish().publish_bundled(OPERATOR, by="operator")
        container.manage_institutions().create_institution(OPERATOR, INSTITUTION)
        container.storage().close()
        return (Path(folder) / "evref.sqlite").read_bytes()


Start = Callable[..., Server]


@contextlib.contextmanager
def starting() -> Iterator[Start]:
    """Yield a function that starts `python -m evref` or another module in a folder.

    Each server has a free port unless one is named, and is killed at the end.
    """
    servers: list[Server] = []

    def start(
        folder: Path,
        *arguments: str,
        module: str = "evref",
        port: int | None = None,
        **settings: str,
    ) -> Server:
        port = port or free_port()
        bind = ("--bind", f"127.0.0.1:{port}")
        command = [sys.executable, "-m", module, *arguments, *bind]
        servers.append(Server(command, folder, port, environment(**settings)))
        return servers[-1]

    try:
        yield start
    finally:
        for server in servers:
            server.kill()


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with starting() as start:
        yield start


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a database with the bundled catalogue and an institution."""
    made = Store(tmp_path_factory.mktemp("store"))
    yield made
    made.close()
