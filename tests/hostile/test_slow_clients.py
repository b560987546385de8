"""Clients that are slow on purpose, at a server without a proxy: it outlives them.

While there are as many as threads they do keep others waiting; that nginx prevents it is tested in
tests/deploy.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.hostile.conftest import Target
from tests.hostile.peer import Peer
from tests.server.conftest import Server, Store, environment
from tests.servers import free_port

MANY = 300
SLOW = {
    "sends nothing": b"",
    "sends half a request line": b"GET /api/v1/dia",
    "sends half of the fields": b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    "sends half of a form": (
        b"POST /settings/sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nemail=a"
    ),
    "sends no body": b"GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n",
    "reads nothing": b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n" * 20,
}


@contextmanager
def many(port: int, data: bytes, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(Peer(port)).send(data)
        yield


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW.keys())
def test_fewer_slow_clients_than_threads_keep_nobody_waiting(target: Target, data: bytes) -> None:
    with many(target.port, data, 3):
        assert target.server.get("/health/ready").status == 200


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW.keys())
def test_once_slow_clients_hang_up_others_are_answered(target: Target, data: bytes) -> None:
    """Many times as many as there are threads."""
    with many(target.port, data, 40):
        pass

    assert target.server.get("/health/ready").status == 200


@pytest.mark.parametrize("data", [b"", SLOW["sends half of the fields"]])
def test_more_connections_than_a_worker_takes_do_not_end_it(few_files: Server, data: bytes) -> None:
    """It stops accepting before it has no file for the next one."""
    workers = few_files.workers()
    with many(few_files.port, data, MANY):
        pass

    assert few_files.get("/health/ready").status == 200
    assert few_files.workers() == workers
    assert "Traceback" not in few_files.log


@pytest.fixture(scope="module")
def few_files(store: Store) -> Iterator[Server]:
    """A server that may open 300 files, of which 200 are for other than connections."""
    port = free_port()
    command = f"ulimit -n 300; exec {sys.executable} -m evref serve --workers 1"
    server = Server(
        ["sh", "-c", f"{command} --bind 127.0.0.1:{port}"], store.folder, port, environment()
    )
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.kill()
