"""What is in Redis keeps to the contracts of its ports; also on a node of a cluster."""

from collections.abc import Iterator

import pytest

from evref.adapters.outbound.redis import (
    RedisAdmission,
    RedisConnections,
    RedisHealth,
    RedisServer,
    RedisUsageReports,
)
from evref.testing import (
    AdmissionContract,
    StorageConnectionsContract,
    StorageHealthContract,
    Stores,
    UsageReportsContract,
)
from tests import servers
from tests.adapters.redis.conftest import with_counters_in


class TestRedisHealth(StorageHealthContract):
    adapter = RedisHealth


class TestRedisConnections(StorageConnectionsContract):
    adapter = RedisConnections


class TestRedisAdmission(AdmissionContract):
    adapter = RedisAdmission


class TestRedisUsageReports(UsageReportsContract):
    adapter = RedisUsageReports


@pytest.fixture(scope="module")
def node() -> Iterator[servers.RedisServer]:
    """A cluster of one node, which has all slots and refuses a script whose keys are of two."""
    with servers.redis_server("--cluster-enabled", "yes") as node:
        with node.client() as client:
            client.execute_command("CLUSTER ADDSLOTS", *range(16_384))
            servers.wait_until(lambda: client.cluster("info")["cluster_state"] == "ok", seconds=10)
        yield node


class InACluster:
    @pytest.fixture
    def stores(self, node: servers.RedisServer) -> Iterator[Stores]:
        with node.client() as client:
            client.flushall()
        server = RedisServer(node.url, timeout_seconds=30)
        yield with_counters_in(server)
        server.close()


class TestRedisAdmissionInACluster(InACluster, AdmissionContract):
    adapter = RedisAdmission


class TestRedisUsageReportsInACluster(InACluster, UsageReportsContract):
    adapter = RedisUsageReports
