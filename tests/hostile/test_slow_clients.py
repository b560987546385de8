"""Clients that are slow on purpose: many times as many as there are threads, and none is held."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.hostile.conftest import Target
from tests.hostile.peer import Peer
from tests.server.conftest import Server, Store, environment
from tests.servers import free_port

MANY = 300
FORM = (
    b"POST /settings/sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
)

WHOLE = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
SLOW = {
    "sends nothing": b"",
    "sends half a request line": b"GET /api/v1/dia",
    "sends half of the fields": b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    "sends half of a form": FORM + b"email=a",
    "sends no body": b"GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n",
    "sends half of a request after a whole one": b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET",
    "does not hang up": b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "does not hang up after an error": b"GET\r\n\r\n",
    "announces a body that is never sent": (
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n"
    ),
    "begins a chunk": (
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    ),
    "waits to be told to go on": (
        b"POST /settings/sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
        b"Expect: 100-continue\r\n\r\n"
    ),
}


@contextmanager
def many(target: Target, data: bytes, count: int = MANY) -> Iterator[list[Peer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Peer(target.port)).send(data) for _ in range(count)]


@pytest.mark.parametrize("data", SLOW.values(), ids=SLOW.keys())
def test_slow_clients_keep_nobody_waiting(target: Target, data: bytes) -> None:
    """Threads would be held for seconds each; a machine under load is a second slow at times."""
    with many(target, data):
        begin = time.monotonic()
        answers = [target.server.get("/health/ready").status for _ in range(3)]
        waited = time.monotonic() - begin

    assert answers == [200] * 3
    assert waited < 5


@pytest.mark.parametrize("data", [SLOW["sends nothing"], SLOW["does not hang up"], WHOLE])
def test_more_connections_than_a_worker_takes_keep_nobody_out(
    store: Store, few_connections: Server, data: bytes
) -> None:
    """It takes a hundred: for each one more, the one that waited longest has to go."""
    with ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(Peer(few_connections.port)).send(data)
        begin = time.monotonic()
        answer = few_connections.get("/health/ready")

    assert answer.status == 200
    assert time.monotonic() - begin < 4
    assert "Traceback" not in few_connections.log


@pytest.fixture(scope="module")
def few_connections(store: Store) -> Iterator[Server]:
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


def test_thousands_of_connections_are_borne(target: Target) -> None:
    """Each takes what it sends with it; whoever comes meanwhile is served."""
    with many(target, b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 4000, 3000):
        assert target.server.get("/health/ready").status == 200

    assert target.server.get("/health/ready").status == 200
