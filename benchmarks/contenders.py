"""The measured servers: the service on each storage, its peers, and the bound."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from benchmarks.cases import LIST, READ
from benchmarks.filling import fill_for_peers
from benchmarks.processes import PEERS_PYTHON, ROOT, SERVER_CORE, Server, running
from benchmarks.storages import LIMITED_TO, Keys, new_keys
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind

SERVERS = ("gunicorn", "Granian")
THREADS = 4

_SERVICE = "wsgi:app"
_BOUND, _BOUND_SETTINGS = "benchmarks.bound:app", "python:benchmarks.bound_settings"
_BIND = ("--bind", "127.0.0.1:{port}")
_PEERS = {
    "FastAPI": (
        *("uvicorn", "--host", "127.0.0.1", "--port", "{port}", "--no-access-log"),
        "benchmarks.peers.fastapi_peer:app",
    ),
    "APIFlask": (
        *("gunicorn", *_BIND, "--threads", f"{THREADS}", "--preload", "--keep-alive", "5"),
        *("--no-control-socket", "benchmarks.peers.apiflask_peer:app"),
    ),
}
PEERS = tuple(_PEERS)
_OF_THE_SERVER = frozenset({"server", "date", "connection"})


@dataclass(frozen=True, slots=True)
class Contender:
    """A running server and its keys."""

    name: str
    server: Server
    keys: Keys

    def get(self, path: str, key: str = "busy") -> requests.Response:
        headers = {"Authorization": f"Bearer {self.keys[key]}", "Accept-Encoding": "identity"}
        return requests.get(self.server.address + path, headers=headers, timeout=60)

    def require_right(self, first: Contender) -> None:
        """Exit unless it returns the same data as the first, and admits exactly a key's limit."""
        for case in READ:
            data, expected = (
                contender.get(case.path).json()["data"] for contender in (self, first)
            )
            if not data or data != expected:
                raise SystemExit(f"benchmarks: {self.name} returns other data for {case.name}")
        with ThreadPoolExecutor(THREADS) as threads:
            sent = [threads.submit(self.get, LIST, "limited") for _ in range(LIMITED_TO + 100)]
        statuses = Counter(request.result().status_code for request in sent)
        if statuses != {200: LIMITED_TO, 429: 100}:
            raise SystemExit(f"benchmarks: {self.name} does not count exactly: {dict(statuses)}")


@contextmanager
def service(
    name: str,
    settings: Settings,
    folder: Path,
    *,
    server: str = SERVERS[0],
    size: tuple[int, int] | None = None,
) -> Iterator[Contender]:
    """Run the service on storage that is already filled; the one in memory fills itself.

    It has one worker on one core, or a size of workers and threads on all cores.
    """
    in_memory = settings.storage is StorageKind.MEMORY
    app = "benchmarks.memory_service:app" if in_memory else _SERVICE
    command, environ = _serving(app, server, *(size or (1, THREADS)))
    environ |= {"EVREF_DATABASE_URL": settings.database_url, "KEYS": str(folder / "keys.json")}
    if settings.quota_url is not None:
        environ["EVREF_QUOTA_URL"] = settings.quota_url
    with running(command, folder, environ=environ, core=None if size else SERVER_CORE) as started:
        if in_memory:
            keys = json.loads(Path(environ["KEYS"]).read_text())
        else:
            keys = new_keys(Container(settings=settings))
        yield Contender(name, started, keys)


@contextmanager
def bound(name: str, like: Contender, folder: Path, *, server: str) -> Iterator[Contender]:
    """Run a server that sends the same responses regardless of the request."""
    recorded, responses = folder / "responses.json", {}
    for case in READ:
        response = like.get(case.path)
        fields = [
            field for field in response.headers.items() if field[0].lower() not in _OF_THE_SERVER
        ]
        status = f"{response.status_code} {response.reason}"
        responses[case.path] = status, fields, response.content.decode("latin-1")
    recorded.write_text(json.dumps(responses))
    command, environ = _serving(_BOUND, server)
    environ["BOUND"] = str(recorded)
    with running(command, folder, health=READ[0].path, environ=environ) as started:
        yield Contender(name, started, like.keys)


@contextmanager
def peer(name: str, like: Contender, redis_url: str, folder: Path) -> Iterator[Contender]:
    """Run a peer with the same catalogue in a SQLite file."""
    database = folder / f"{name}.sqlite"
    keys = fill_for_peers(database, like.get("/api/v1/catalogue").json()["data"])
    environ = {"PEER_DATABASE_URL": f"sqlite:///{database}", "PEER_REDIS_URL": redis_url}
    with running(
        _PEERS[name], folder, python=PEERS_PYTHON, health="/openapi.json", environ=environ
    ) as started:
        yield Contender(name, started, keys)


def _serving(
    app: str, server: str, workers: int = 1, threads: int = THREADS
) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment that run an application as deployed."""
    if server == "gunicorn":
        options = [*_BIND, "--workers", f"{workers}", "--threads", f"{threads}"]
        if app == _SERVICE:
            return ["evref", "serve", *options], {}
        config = _BOUND_SETTINGS if app == _BOUND else f"{ROOT / 'gunicorn.conf.py'}"
        return ["gunicorn", "--config", config, *options, app], {}
    shipped = (ROOT / "deploy" / "granian.env").read_text().splitlines()
    environ = dict(line.split("=", 1) for line in shipped if not line.startswith("#"))
    environ |= {"GRANIAN_WORKERS": f"{workers}", "GRANIAN_BLOCKING_THREADS": f"{threads}"}
    return ["granian", "--port", "{port}", app], environ
