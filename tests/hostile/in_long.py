"""What takes its time, and so is part of `make hostile` alone."""

from __future__ import annotations

import time
from contextlib import ExitStack

from tests.hostile.conftest import Target
from tests.hostile.peer import Peer, statuses


def test_a_request_has_ten_seconds_to_come(target: Target) -> None:
    """However steadily it drips; what comes of it then is a 408."""
    begin = time.monotonic()
    answer = b""
    with Peer(target.port) as slow:
        slow.send(b"GET / HTTP/1.1\r\nHost: x\r\n")
        slow.socket.settimeout(0.5)
        while not answer and time.monotonic() - begin < 60:
            slow.send(b"X: y\r\n")
            try:
                answer = slow.rest()
            except TimeoutError:
                continue
    assert statuses(answer) == [408]
    assert b"application/problem+json" in answer
    assert 9 < time.monotonic() - begin < 30


def test_answers_that_nobody_reads_hold_threads_for_a_while_only(target: Target) -> None:
    """As many of them as there are threads, more than systems keep for a client, and none read."""
    request = b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n"
    begin = time.monotonic()
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(Peer(target.port)).send(request * 50)
        time.sleep(1)
        answer = target.server.get("/health/ready")

    assert answer.status == 200
    assert time.monotonic() - begin < 60
