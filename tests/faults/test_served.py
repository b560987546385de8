"""Two services on different ports, each with workers of its own, as operators run them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from evref.settings import Settings
from tests.faults.load import DIAGNOSES, Answer, Host, assert_promised
from tests.servers import PostgresqlServer, RedisServer, free_port, wait_until

Ask = Callable[[int], Answer]


@pytest.fixture(params=["postgresql", "redis"])
def counters(request: pytest.FixtureRequest) -> PostgresqlServer | RedisServer:
    """The server that requests are counted in."""
    name = "counter_server" if request.param == "redis" else "database_server"
    server: PostgresqlServer | RedisServer = request.getfixturevalue(name)
    return server


@pytest.fixture
def host(
    database_server: PostgresqlServer, counters: PostgresqlServer | RedisServer
) -> Iterator[Host]:
    """A service in this process, by which the others' storage is made."""
    database_url = database_server.url(database_server.new_database())
    quota_url = counters.url if isinstance(counters, RedisServer) else None
    host = Host(Settings(database_url=database_url, quota_url=quota_url))
    host.prepare()
    yield host
    host.container.storage().close()


def serve(host: Host, folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Another service with the settings of the host, with two workers of two threads each."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("EVREF_")}
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "evref", "serve", "--bind", f"127.0.0.1:{port}"),
            *("--workers", "2", "--threads", "2"),
        ],
        cwd=folder,
        env={
            **others,
            "EVREF_DATABASE_URL": host.settings.database_url,
            "EVREF_QUOTA_URL": host.settings.quota_url or "",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def ask(host: Host, tmp_path: Path) -> Iterator[Ask]:
    """Asks the one service or the other, by whether the number is even, with a key for 300."""
    ports = [free_port(), free_port()]
    token = host.new_key(limit=300).token.text

    def get(number: int) -> Answer:
        start = time.monotonic()
        connection = HTTPConnection("127.0.0.1", ports[number % 2], timeout=30)
        try:
            connection.request("GET", DIAGNOSES, headers={"Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            response.read()
        finally:
            connection.close()
        retry_after = response.getheader("Retry-After")
        return Answer(response.status, retry_after, time.monotonic() - start)

    def listens(port: int) -> bool:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health/ready")
        except ConnectionError:
            return False
        else:
            return connection.getresponse().status == 200
        finally:
            connection.close()

    with ExitStack() as stack:
        for port in ports:
            process = stack.enter_context(serve(host, tmp_path, port))
            stack.callback(process.terminate)
        for port in ports:
            wait_until(lambda port=port: listens(port), seconds=30)  # type: ignore[misc]
        yield get


def test_two_services_admit_exactly_the_limit_and_let_nobody_wait_for_a_server_that_hangs(
    ask: Ask, counters: PostgresqlServer | RedisServer
) -> None:
    """With eight times as many clients as there are threads, none waits for those before it."""
    with ThreadPoolExecutor(64) as clients:
        served = list(clients.map(ask, range(400)))
        with counters.frozen():
            hung = list(clients.map(ask, range(128)))
    wait_until(lambda: {ask(0).status, ask(1).status} == {429}, seconds=10)

    assert sorted(answer.status for answer in served) == [200] * 300 + [429] * 100
    assert_promised(served, 200, 429)
    assert_promised(hung, 503)
