"""Contract tests of the counters in Redis, on a server and on a node of a cluster."""

from collections.abc import Iterator

import pytest

from evref.domain.access.quota import SECONDS_A_DAY
from evref.ports.storage import Storage
from evref.testing import AdmissionContract, UsageReportsContract
from evref.testing.storage import UnitOfWorkContract
from tests import servers
from tests.adapters.redis.conftest import WaitingStorage, storage_on


class TestRedisUnitOfWork(UnitOfWorkContract):
    pass


class TestRedisAdmission(AdmissionContract):
    pass


class TestRedisUsageReports(UsageReportsContract):
    def expire(self, storage: Storage, days: int) -> None:
        """Shorten the life of each name by so many days; Redis removes expired names."""
        assert isinstance(storage, WaitingStorage)
        with storage.server.client() as client:
            for name in client.scan_iter():
                client.expire(name, client.ttl(name) - days * SECONDS_A_DAY)


@pytest.fixture(scope="module")
def node() -> Iterator[servers.RedisServer]:
    """Yield a cluster of one node, which rejects a script whose keys are in two slots."""
    with servers.redis_server("--cluster-enabled", "yes") as node:
        with node.client() as client:
            client.execute_command("CLUSTER ADDSLOTS", *range(16_384))
            servers.wait_until(lambda: client.cluster("info")["cluster_state"] == "ok")
        yield node


class InACluster:
    @pytest.fixture
    def storage(self, node: servers.RedisServer) -> Iterator[WaitingStorage]:
        yield from storage_on(node)


class TestRedisAdmissionInACluster(InACluster, AdmissionContract):
    pass


class TestRedisUsageReportsInACluster(InACluster, TestRedisUsageReports):
    pass
