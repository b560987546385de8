"""`evref serve` with several workers: exact counts, and changes that reach every worker."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path

import psutil
import pytest

from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.testing.builders import OPERATOR
from evref.testing.filling import served_version
from tests.server.conftest import (
    REPOSITORY,
    Answer,
    Connection,
    Server,
    Start,
    Store,
    environment,
    evref,
)
from tests.servers import PATIENCE, wait_until

LIST = "/api/v1/diagnoses"
LIVE = "/health/live"


@pytest.fixture(scope="module")
def server(start: Start, store: Store) -> Server:
    """Start three workers on one SQLite file."""
    started = start(store.folder, "serve", "--workers", "3", storage="patient")
    started.wait_until_ready(workers=3)
    return started


def test_a_doubled_slash_leads_to_the_page(server: Server) -> None:
    """The server itself does not change the path."""
    for path in ("//settings/sign-in", "/settings//sign-in"):
        answer = server.get(path)

        assert answer.status == 308
        assert answer.headers["Location"].endswith("/settings/sign-in")


@pytest.mark.parametrize(
    "command",
    [("serve",), ("--config", str(REPOSITORY / "gunicorn.conf.py"), "wsgi:app")],
    ids=["evref serve", "gunicorn"],
)
def test_a_server_without_requests_follows_the_catalogue_too(
    start: Start, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Its log shows that it tried to load the new catalogue, which is damaged."""
    store = Store(tmp_path)
    server = start(tmp_path, *command, module="evref" if command == ("serve",) else "gunicorn")
    server.wait_until_ready()

    with closing(sqlite3.connect(tmp_path / "evref.sqlite")) as database, database:
        database.execute("UPDATE catalogue_publication SET version = 'lost'")
        database.execute("UPDATE catalogue_history SET catalogue = x'00'")

    wait_until(lambda: "serving the cached catalogue" in server.log, lambda: server.log)
    store.close()


def ask(server: Server, token: str, times: int) -> list[Answer]:
    """Return the responses to this many requests on one connection, until it breaks."""
    answers: list[Answer] = []
    with (
        closing(Connection(server.port)) as connection,
        suppress(OSError, HTTPException),
    ):
        answers.extend(connection.get(LIST, token) for _ in range(times))
    return answers


def everywhere(server: Server, path: str, token: str) -> list[Answer]:
    """Return responses on so many concurrent connections that each worker has some."""
    connections = [Connection(server.port) for _ in range(30)]
    try:
        return [connection.get(path, token) for connection in connections]
    finally:
        for connection in connections:
            connection.close()


def test_exactly_the_limit_of_concurrent_requests_is_answered(server: Server, store: Store) -> None:
    """This holds over all workers and threads, and the command line shows the same count."""
    key = store.key(limit=500)
    with ThreadPoolExecutor(30) as clients:
        rounds = list(clients.map(lambda _: ask(server, key.token.text, 50), range(30)))

    answers = [answer for asked in rounds for answer in asked]
    usage = json.loads(evref(store.folder, "key", "usage", key.key.id, "--json"))

    assert Counter(answer.status for answer in answers) == {200: 500, 429: 1000}
    assert [(day["admitted"], day["refused"]) for day in usage] == [(500, 1000)]
    remaining = [
        int(answer.headers["X-RateLimit-Remaining"]) for answer in answers if answer.status == 200
    ]
    assert sorted(remaining) == list(range(500))


def test_a_loaded_catalogue_is_served_by_every_worker_without_a_restart(
    server: Server, store: Store
) -> None:
    token = store.key().token.text
    workers = server.workers()
    before = {
        json.loads(a.body)["meta"]["catalogue_version"] for a in everywhere(server, LIST, token)
    }

    asthma = str(BUNDLED_CATALOGUE / "asthma.yaml")
    evref(store.folder, "catalogue", "load", "--allow-removals", asthma)
    version = served_version(store.container.storage())

    def served() -> set[tuple[str, int]]:
        bodies = [json.loads(answer.body) for answer in everywhere(server, LIST, token)]
        return {(body["meta"]["catalogue_version"], len(body["data"])) for body in bodies}

    wait_until(lambda: served() == {(version, 1)}, lambda: f"{served()} is not {version} alone")
    assert len(before) == 1
    assert version not in before
    assert server.workers() == workers
    publish = store.container.publish()
    publish.publish(OPERATOR, publish.plan_rollback(OPERATOR), by="operator")
    # The tests that follow expect it everywhere.
    wait_until(lambda: {version for version, _ in served()} == before)


def test_a_key_that_is_changed_or_revoked_is_so_on_every_worker(
    server: Server, store: Store
) -> None:
    """The command line changes the key while it is in use."""
    key = store.key()
    token = key.token.text
    assert {answer.status for answer in everywhere(server, LIST, token)} == {200}

    evref(store.folder, "key", "set-limit", key.key.id, "3")
    wait_until(
        lambda: {answer.status for answer in everywhere(server, LIST, token)} == {429},
        lambda: "the limit does not hold everywhere",
    )
    evref(store.folder, "key", "revoke", key.key.id)
    wait_until(
        lambda: {answer.status for answer in everywhere(server, LIST, token)} == {401},
        lambda: "the key is not revoked everywhere",
    )


def test_a_port_in_use_is_gunicorn_s_error(server: Server, store: Store) -> None:
    """The server that has the port is not disturbed."""
    done = subprocess.run(
        [sys.executable, "-m", "evref", "serve", "--bind", f"127.0.0.1:{server.port}"],
        cwd=store.folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert f"Can't connect to ('127.0.0.1', {server.port})" in done.stderr
    assert "Traceback" not in done.stderr
    assert server.get(LIVE).status == 200


def accepted(server: Server) -> int:
    """Return the number of connections that the workers have accepted."""
    return sum(
        connection.status == psutil.CONN_ESTABLISHED
        for worker in server.processes()
        for connection in worker.net_connections()
    )


def test_sigterm_cuts_no_request_that_is_under_way(start: Start, store: Store) -> None:
    """A lock on the database holds the requests up until the signal was sent."""
    token = store.key().token.text
    command = ("serve", "--workers", "2", "--threads", "4")
    server = start(store.folder, *command, storage="patient")
    server.wait_until_ready()

    with (
        ThreadPoolExecutor(4) as clients,
        closing(sqlite3.connect(store.folder / "evref.sqlite", isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        under_way: list[Future[Answer]] = [
            clients.submit(server.get, LIST, token) for _ in range(4)
        ]
        wait_until(lambda: accepted(server) == 4)
        # A moment for the threads to begin; that none is done shows that they are held.
        assert not wait(under_way, timeout=0.5).done
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "Handling signal: term" in server.log, lambda: server.log)
        other.execute("ROLLBACK")
        answers = [request.result(PATIENCE) for request in under_way]

    assert [answer.status for answer in answers] == [200] * 4
    assert all(json.loads(answer.body)["data"] for answer in answers)
    assert server.wait_until_ended() == 0
    assert "Traceback" not in server.log
