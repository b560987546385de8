"""The stores in memory, but for the counters, which are in Redis."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from evref.adapters.outbound.memory import MemoryState
from evref.adapters.outbound.redis import (
    RedisAdmission,
    RedisConnections,
    RedisHealth,
    RedisServer,
    RedisUsageReports,
)
from evref.domain.access.quota import SECONDS_A_DAY
from evref.testing.stores import Stores
from tests import servers
from tests.adapters.memory.stores import stores_in
from tests.fakes import FakeClock


@pytest.fixture
def server(redis: servers.RedisServer) -> Iterator[RedisServer]:
    """The way to the shared server, which is empty."""
    with redis.client() as client:
        client.flushall()
    # What is tested with it is not how long it waits.
    server = RedisServer(redis.url, timeout_seconds=30)
    yield server
    server.close()


@pytest.fixture
def stores(server: RedisServer) -> Stores:
    return with_counters_in(server)


def with_counters_in(server: RedisServer) -> Stores:
    stores = stores_in(MemoryState())
    clock = FakeClock()
    return replace(
        stores,
        health=RedisHealth(stores.health, server),
        connections=RedisConnections(stores.connections, server),
        admission=RedisAdmission(server, stores.keys, clock),
        usage_reports=RedisUsageReports(server),
        settle=lambda: clock.advance(seconds=1),
        expire=lambda days: _age_names(server, days),
    )


def _age_names(server: RedisServer, days: int) -> None:
    """Have each name so many days less to live; Redis removes those that have none left."""
    with server.client() as client:
        for name in client.scan_iter():
            client.expire(name, client.ttl(name) - days * SECONDS_A_DAY)
