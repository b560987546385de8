"""What single connections can do to a server without a proxy in front."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import pytest

from tests.hostile.peer import Peer, answer_to, statuses
from tests.server.conftest import Server, Start, Store, environment
from tests.servers import free_port

LIST = "/api/v1/diagnoses"
LIVE = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
LAST = LIVE + b"Connection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server(start: Start, store: Store) -> Server:
    started = start(store.folder, "serve", "--workers", "1")
    started.wait_until_ready()
    return started


@pytest.mark.parametrize(
    "field",
    [
        "SCRIPT_NAME: /api",
        "SCRIPT_NAME: /elsewhere",
        "Script_Name: /api",
        "PATH_INFO: /docs",
        "REMOTE_USER: admin",
        "X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: off",
        "X-Forwarded-Protocol: ssl",
        "X-Forwarded-Host: evil.example\r\nX-Forwarded-Prefix: /evil",
        "X-Original-URL: /docs",
    ],
)
def test_no_field_decides_on_path_or_scheme(server: Server, field: str) -> None:
    """Gunicorn trusts such fields from this machine, as from a proxy."""
    plain = b"GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: a\r\n"

    def body(answer: bytes) -> bytes:
        return answer.partition(b"\r\n\r\n")[2]

    expected = answer_to(server.port, plain + b"\r\n")
    answer = answer_to(server.port, plain + field.encode() + b"\r\n\r\n")

    assert statuses(answer) == statuses(expected) == [404]
    assert body(answer) == body(expected)


@pytest.mark.parametrize("field", ["SCRIPT_NAME: /api", "PATH_INFO: /docs"])
def test_with_any_settings_of_gunicorn_the_path_stays(
    start: Start, store: Store, field: str
) -> None:
    server = start(store.folder, "--no-control-socket", "wsgi:app", module="gunicorn")
    server.wait_until_ready()
    plain = b"GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

    answer = answer_to(server.port, plain + field.encode() + b"\r\n\r\n")

    assert statuses(answer) == [404]
    assert b'"/api/v1/nothing"' in answer


def test_an_upgrade_is_ignored_by_every_way_to_an_answer(server: Server, store: Store) -> None:
    """New and cached responses are the same (RFC 9110, section 7.8)."""
    token = store.key().token.text
    sent = (
        f"GET {LIST}?q=knee HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    ).encode()

    answers = [answer_to(server.port, sent) for _ in range(2)]

    assert [statuses(answer) for answer in answers] == [[200], [200]]
    assert len({answer.partition(b"\r\n\r\n")[2] for answer in answers}) == 1
    upgrading_page = sent.replace(LIST.encode(), b"/docs")
    assert statuses(answer_to(server.port, upgrading_page)) == [200]


def test_more_silent_connections_than_threads_only_delay_others(server: Server) -> None:
    """A thread waits five seconds for the first byte, then hands the connection back."""
    peers = [Peer(server.port) for _ in range(40)]
    try:
        assert server.get("/health/live").status == 200
    finally:
        for peer in peers:
            peer.socket.close()


def test_more_connections_than_a_worker_has_files_for_do_not_end_it(store: Store) -> None:
    """It stops accepting before it runs out of file descriptors."""
    port = free_port()
    command = f"ulimit -n 300; exec {sys.executable} -m evref serve --workers 1"
    few_files = Server(
        ["sh", "-c", f"{command} --bind 127.0.0.1:{port}"], store.folder, port, environment()
    )
    with ExitStack() as stack:
        stack.callback(few_files.kill)
        few_files.wait_until_ready()
        workers = few_files.workers()
        with ExitStack() as peers:
            for _ in range(300):
                peers.enter_context(Peer(port)).send(b"GET / HTTP/1.1\r\nX: ")

        assert few_files.get("/health/ready").status == 200
        assert few_files.workers() == workers
        assert "Traceback" not in few_files.log
