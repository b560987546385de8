"""Servers that these tests may stop, and services that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evref.bootstrap.settings import Settings
from tests.faults.load import Host
from tests.servers import PostgresqlServer, RedisServer, postgresql_server, redis_server

NewHost = Callable[..., Host]
Counters = PostgresqlServer | RedisServer


@pytest.fixture(scope="session")
def database_server() -> Iterator[PostgresqlServer]:
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def counter_server() -> Iterator[RedisServer]:
    """A Redis that writes each count to its file before it responds.

    It does not wait for the disk: here processes fail, and never the machine.
    """
    with redis_server("--appendonly", "yes", "--appendfsync", "no") as server:
        yield server


@pytest.fixture(params=["database_server", "counter_server"])
def counters(request: pytest.FixtureRequest) -> Counters:
    """Return the server that counts requests: each kind in turn, unless the test names one."""
    server: Counters = request.getfixturevalue(request.param)
    return server


ON_POSTGRESQL, ON_REDIS = (
    pytest.mark.parametrize("counters", [server], indirect=True)
    for server in ("database_server", "counter_server")
)


@pytest.fixture
def new_host(database_server: PostgresqlServer, counters: Counters) -> Iterator[NewHost]:
    """Creates services on one new database, as on several machines."""
    url = database_server.url(database_server.new_database())
    quota_url = counters.url if isinstance(counters, RedisServer) else None
    hosts: list[Host] = []

    def make(**settings: Any) -> Host:
        usual = Settings(database_url=url, quota_url=quota_url)
        hosts.append(Host(usual.model_copy(update=settings)))
        if len(hosts) == 1:
            hosts[0].prepare()
        return hosts[-1]

    yield make
    for host in hosts:
        host.close()
