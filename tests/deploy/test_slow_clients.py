"""Slow clients of nginx: meanwhile others get responses and are counted exactly."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psutil
import pytest

from tests.deploy.conftest import served_to_nginx
from tests.deploy.proxy import Nginx, running
from tests.server.conftest import Start, Store
from tests.servers import wait_until

LIST = "/api/v1/diagnoses"
HALF_A_REQUEST = {
    "nothing": b"",
    "half a request line": b"GET /api/v1/dia",
    "half the header fields": b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    "half a form": (
        b"POST /settings/sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nemail=a"
    ),
    "half a chunk": (
        b"POST /settings/sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
    ),
}
OPEN = {psutil.CONN_ESTABLISHED, psutil.CONN_CLOSE_WAIT}
LARGE = b"GET /static/swagger-ui-bundle.00000000.js HTTP/1.1\r\nHost: evref.example.org\r\n\r\n"


@pytest.fixture(scope="module", autouse=True)
def many_files() -> Iterator[None]:
    """Raise the limit of open files, because this process opens all client connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < 4000:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def slow_clients(nginx: Nginx) -> Iterator[ExitStack]:
    """Hold connections during the block, and wait until nginx has closed them too.

    Until then they count towards its limit of connections of an address.
    """
    with ExitStack() as stack:
        yield stack
    wait_until(
        lambda: (
            not any(
                connection.laddr[1:] == (nginx.tls,) and connection.status in OPEN
                for connection in psutil.net_connections("tcp4")
            )
        )
    )


def assert_others_are_exactly_counted(nginx: Nginx, store: Store) -> None:
    """Send thirty concurrent requests with a key whose limit is twenty."""
    token = store.key(limit=20).token.text
    with ThreadPoolExecutor(6) as clients:
        statuses = Counter(
            clients.map(
                lambda _: nginx.get(LIST, Authorization=f"Bearer {token}").status, range(30)
            )
        )
    assert statuses == {200: 20, 429: 10}


@pytest.mark.parametrize("name", ["nothing", "half a request line", "half a form", "half a chunk"])
def test_fewer_slow_clients_than_nginx_allows_per_address(
    nginx: Nginx, store: Store, name: str
) -> None:
    """They are several times as many as the threads of the service."""
    with slow_clients(nginx) as stack:
        for _ in range(90):
            stack.enter_context(nginx.connect()).sendall(HALF_A_REQUEST[name])

        assert_others_are_exactly_counted(nginx, store)


def test_two_thousand_connections_with_half_a_request(nginx: Nginx, store: Store) -> None:
    with slow_clients(nginx) as stack:
        for _ in range(2000):
            stack.enter_context(nginx.connect()).sendall(HALF_A_REQUEST["half the header fields"])

        assert_others_are_exactly_counted(nginx, store)


def test_clients_that_do_not_read(nginx: Nginx, store: Store) -> None:
    """Each requests megabytes in advance, and there are more clients than threads."""
    with slow_clients(nginx) as stack:
        for _ in range(40):
            stack.enter_context(nginx.connect()).sendall(LARGE * 20)

        assert_others_are_exactly_counted(nginx, store)


def test_a_stop_does_not_wait_for_slow_clients(start: Start, store: Store) -> None:
    service = served_to_nginx(start, store)
    with running(service.port) as nginx, ExitStack() as stack:
        for sent in HALF_A_REQUEST.values():
            stack.enter_context(nginx.connect()).sendall(sent)
        stack.enter_context(nginx.connect()).sendall(LARGE * 20)
        service.process.terminate()

        assert service.wait_until_ended() == 0
