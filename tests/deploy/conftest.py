"""Real services, with the fixtures of the server tests, and nginx in front of them."""

from collections.abc import Iterator

import pytest

from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, running
from tests.server.conftest import Server, Start, Store, start, store

__all__ = ["start", "store"]


@pytest.fixture(scope="module")
def service(start: Start, store: Store) -> Server:
    started = start(
        store.folder,
        "serve",
        "--workers",
        "1",
        base_url=f"https://{HOST}",
        proxies="1",
        metrics_token=METRICS_TOKEN,
    )
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def nginx(service: Server) -> Iterator[Nginx]:
    with running(service) as found:
        yield found
