"""What takes its time, and so is part of `make hostile` alone."""

from __future__ import annotations

import time
from contextlib import ExitStack
from statistics import median

import pytest

from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.errors import WrongCredentialsError
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


def test_the_time_of_a_refusal_does_not_tell_who_has_an_account() -> None:
    """Of forty pairs, neither is the slower one more often than chance would have it."""
    container = Container(settings=Settings(storage=StorageKind.MEMORY))
    manage = container.manage_institutions()
    manage.create_institution("Hospital", actor="operator")
    manage.create_member(
        "known-00@example.org",
        institution_name="Hospital",
        password="correct horse battery",
        actor="operator",
    )

    def seconds(email: str, number: int) -> float:
        # Each from an address of its own, and an account is begun anew: none is slowed.
        container.state().failures.clear()
        begin = time.perf_counter()
        with pytest.raises(WrongCredentialsError):
            container.sign_in().begin(email, "a wrong password", address=f"192.0.2.{number}")
        return time.perf_counter() - begin

    pairs = [
        (seconds("known-00@example.org", number), seconds("nobody00@example.org", number))
        for number in range(40)
    ]

    # Chance alone is outside of this once in a million runs.
    assert 5 < sum(known > unknown for known, unknown in pairs) < 35
    known, unknown = (median(times) for times in zip(*pairs, strict=True))
    assert 0.8 < known / unknown < 1.25
