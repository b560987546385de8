"""Servers that these tests may stop, and services that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evref.bootstrap.settings import Settings
from tests.faults.load import Host
from tests.servers import PostgresqlServer, RedisServer, postgresql_server, redis_server

NewHost = Callable[..., Host]


@pytest.fixture(scope="session")
def database_server() -> Iterator[PostgresqlServer]:
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def counter_server() -> Iterator[RedisServer]:
    """A Redis that writes each count to disk before it responds."""
    with redis_server("--appendonly", "yes", "--appendfsync", "always") as server:
        yield server


@pytest.fixture(params=["database_server", "counter_server"])
def counters(request: pytest.FixtureRequest) -> PostgresqlServer | RedisServer:
    """The server that counts requests: each in turn, unless the test names one."""
    found: PostgresqlServer | RedisServer = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def new_host(
    database_server: PostgresqlServer, counters: PostgresqlServer | RedisServer
) -> Iterator[NewHost]:
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
        host.container.storage().close()
