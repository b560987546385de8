"""What is in Redis keeps to the contracts of its ports; also on a node of a cluster."""

from collections.abc import Iterator

import pytest

from evref.adapters.outbound.redis import RedisServer, RedisStorage, RedisUsage
from evref.testing import StorageContract, Stores, UsageContract
from tests import servers
from tests.adapters.redis.conftest import with_counters_in


class TestRedisStorage(StorageContract):
    adapter = RedisStorage


class TestRedisUsage(UsageContract):
    adapter = RedisUsage


@pytest.fixture(scope="module")
def node() -> Iterator[servers.RedisServer]:
    """A cluster of one node, which has all slots and refuses a script whose keys are of two."""
    with servers.redis_server("--cluster-enabled", "yes") as node:
        with node.client() as client:
            client.execute_command("CLUSTER ADDSLOTS", *range(16_384))
            servers.wait_until(lambda: client.cluster("info")["cluster_state"] == "ok", seconds=10)
        yield node


class TestRedisUsageInACluster(UsageContract):
    adapter = RedisUsage

    @pytest.fixture
    def stores(self, node: servers.RedisServer) -> Iterator[Stores]:
        with node.client() as client:
            client.flushall()
        server = RedisServer(node.url, timeout_seconds=30)
        yield with_counters_in(server)
        server.close()
