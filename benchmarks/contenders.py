"""The measured servers: the service on each storage, its peers, and the bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TypeAlias

from benchmarks.cases import CASES, Case
from benchmarks.client import Response, bearer, get
from benchmarks.filling import fill_for_peers
from benchmarks.processes import PEERS_PYTHON, THIS_PYTHON, Server, running
from benchmarks.storages import Tokens, fill
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue

PEERS = ("FastAPI", "APIFlask", "Datasette")
BOUND = "bound"
SAME_RESPONSE = "same response"
"""The bound that also sends the status and the header fields of the service."""

_THREADS = "4"
_GUNICORN = [
    *("gunicorn", "--bind", "{host}:{port}", "--threads", _THREADS, "--preload"),
    *("--keep-alive", "5", "--no-control-socket"),
]
_OF_GUNICORN = frozenset({"Server", "Date", "Connection"})

_Recorded: TypeAlias = tuple[str, list[tuple[str, str]], str]
"""Status, header fields and body of a response."""

_ROWS = "_shape=array&_size=max&_nocount=1&_nofacet=1&_nosuggest=1"
_OF_ONE = f"/peer/interventions.json?{_ROWS}&_sort=position&diagnosis_id=knee-osteoarthritis"
_DATASETTE_PATHS = {
    "list": f"/peer/diagnoses.json?{_ROWS}&_sort=name",
    "interventions": _OF_ONE,
    "filtered": f"{_OF_ONE}&module=home",
}


@dataclass(frozen=True, slots=True)
class Contender:
    """A server, and its requests for the cases.

    `paths` has the path of each case that it supports, by name; `tokens` is None if it has no
    keys. `always_succeeds` if it sends 200 in each case.
    """

    name: str
    server: Server
    paths: Mapping[str, str]
    tokens: Tokens | None = None
    always_succeeds: bool = False
    _etags: dict[str, str] = field(default_factory=dict)

    def address(self, case: Case) -> str:
        return self.server.address + self.paths[case.name]

    def headers(self, case: Case) -> dict[str, str]:
        """Return the headers of a request, with the ETag if the case is conditional."""
        if self.tokens is None:
            return {}
        headers = bearer(self.tokens.of(case.holder))
        if case.is_conditional:
            if case.name not in self._etags:
                self._etags[case.name] = get(self.address(case), headers).headers["ETag"]
            headers["If-None-Match"] = self._etags[case.name]
        return headers

    def get(self, case: Case) -> Response:
        return get(self.address(case), self.headers(case))


@contextmanager
def service(
    name: str,
    settings: Settings,
    catalogue: Catalogue,
    folder: Path,
    *,
    workers: int = 1,
    many_keys: int = 0,
    python: Path = THIS_PYTHON,
) -> Iterator[Contender]:
    """Run `evref serve` on this storage, filled with this catalogue."""
    paths = {case.name: case.path for case in CASES}
    if settings.storage is StorageKind.MEMORY:
        written = folder / "tokens"
        command = ["benchmarks.memory_service", "{host}:{port}", str(written)]
        with running(command, folder) as server:
            tokens = Tokens(**json.loads(written.read_text()))
            yield Contender(name, server, paths, tokens)
        return
    tokens = fill(Container(settings=settings), catalogue, many=many_keys)
    with serve(settings, folder, workers=workers, python=python) as server:
        yield Contender(name, server, paths, tokens)


@contextmanager
def serve(
    settings: Settings, folder: Path, *, workers: int = 1, python: Path = THIS_PYTHON
) -> Iterator[Server]:
    """Run `evref serve` on storage that is already filled."""
    command = ["evref", "serve", "--bind", "{host}:{port}", "--threads", _THREADS]
    environ = {"EVREF_DATABASE_URL": settings.database_url}
    if settings.quota_url is not None:
        environ["EVREF_QUOTA_URL"] = settings.quota_url
    with running(
        [*command, "--workers", str(workers)],
        folder,
        python=python,
        health="/health/ready",
        environ=environ,
    ) as server:
        yield server


@contextmanager
def bound(
    alike: Contender,
    folder: Path,
    *,
    name: str = BOUND,
) -> Iterator[Contender]:
    """Run a server that sends the same bodies with 200; for a 304, the body that it avoids.

    As `SAME_RESPONSE`, it sends the same responses.
    """
    is_same = name == SAME_RESPONSE
    recorded = folder / "bound"
    recorded.mkdir()
    for case in CASES:
        headers = alike.headers(case)
        if not is_same:
            headers.pop("If-None-Match", None)
        response = get(alike.address(case), headers)
        answer = _recorded(response) if is_same else _successful(response.body)
        (recorded / case.name).write_text(json.dumps(answer))
    command = [*_GUNICORN, "--workers", "1", "--worker-class", "gthread"]
    with running(
        [*command, "benchmarks.bound:app"], folder, health="/list", environ={"BOUND": str(recorded)}
    ) as server:
        paths = {case.name: f"/{case.name}" for case in CASES}
        yield Contender(name, server, paths, always_succeeds=not is_same)


def _successful(body: bytes) -> _Recorded:
    fields = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    return "200 OK", fields, body.decode("latin-1")


def _recorded(response: Response) -> _Recorded:
    status = HTTPStatus(response.status)
    fields = [field for field in response.headers.items() if field[0] not in _OF_GUNICORN]
    return f"{status.value} {status.phrase}", fields, response.body.decode("latin-1")


@contextmanager
def peer(name: str, catalogue: Catalogue, redis_url: str, folder: Path) -> Iterator[Contender]:
    """Run a peer with the same catalogue in a SQLite file, and keys if it supports them."""
    database = folder / "peer.db"
    tokens = fill_for_peers(database, catalogue)
    environ = {"PEER_DATABASE_URL": f"sqlite:///{database}", "PEER_REDIS_URL": redis_url}
    paths = {case.name: case.path for case in CASES}
    match name:
        case "FastAPI":
            where = ["--host", "{host}", "--port", "{port}", "--no-access-log"]
            command = ["uvicorn", *where, "benchmarks.peers.fastapi_peer:app"]
            with running(command, folder, python=PEERS_PYTHON, environ=environ) as server:
                yield Contender(name, server, paths, tokens)
        case "APIFlask":
            command = [*_GUNICORN, "--workers", "1", "benchmarks.peers.apiflask_peer:app"]
            with running(command, folder, python=PEERS_PYTHON, environ=environ) as server:
                yield Contender(name, server, paths, tokens)
        case "Datasette":
            command = ["datasette", "serve", "--immutable", str(database)]
            command += ["--host", "{host}", "--port", "{port}"]
            command += ["--setting", "max_returned_rows", "20000"]
            with running(command, folder, python=PEERS_PYTHON, health="/-/versions.json") as server:
                yield Contender(name, server, _DATASETTE_PATHS)
        case _:
            raise ValueError(name)
