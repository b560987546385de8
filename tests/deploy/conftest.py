"""Real services, with the fixtures of the server tests, and nginx in front of them."""

from collections.abc import Iterator

import pytest

from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, running
from tests.server.conftest import Server, Start, Store, start, store

__all__ = ["start", "store"]


def served_to_nginx(start: Start, store: Store, **settings: str) -> Server:
    """Start a service that expects nginx in front of it, with further settings."""
    settings |= {"base_url": f"https://{HOST}", "proxies": "1", "storage": "patient"}
    started = start(store.folder, "serve", "--workers", "1", **settings)
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def service(start: Start, store: Store) -> Server:
    return served_to_nginx(start, store, metrics_token=METRICS_TOKEN)


@pytest.fixture(scope="module")
def nginx(service: Server) -> Iterator[Nginx]:
    with running(service.port) as proxy:
        yield proxy
