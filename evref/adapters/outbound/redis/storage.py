"""A storage with its counters in Redis; another storage has everything else, including the keys."""

from evref.adapters.outbound.redis.server import RedisServer
from evref.adapters.outbound.redis.usage import RedisAdmission, RedisUsageReports
from evref.domain.errors import StorageNotReadyError
from evref.ports.storage import DelegatingStorage, Storage
from evref.ports.system import Clock


class RedisStorage(DelegatingStorage):
    """See `RedisServer` for `url` and `timeout_seconds`, and for the errors."""

    def __init__(
        self, rest: Storage, url: str, clock: Clock, *, timeout_seconds: float = 2.5
    ) -> None:
        super().__init__(rest)
        self.server = RedisServer(url, timeout_seconds=timeout_seconds)
        self.admission = self._counters = RedisAdmission(self.server, rest.keys, clock)
        self.usage = RedisUsageReports(self.server)

    def verify(self) -> None:
        super().verify()
        # A server that is not part of a cluster refuses the command.
        cluster = self.server.disclosed(lambda client: client.cluster("INFO"))
        nodes = int(cluster.get("cluster_size", 1))
        if nodes > 1:
            raise StorageNotReadyError(
                f"EVREF_QUOTA_URL names a Redis cluster of {nodes} nodes, but counters need one "
                "server, with replicas if you like."
            )

    def ping(self) -> None:
        super().ping()
        self._counters.ping()

    def warnings(self) -> list[str]:
        warnings = [*super().warnings()]
        # One at a time: only Redis 7 and newer accepts several.
        file = self.server.disclosed(lambda client: client.config_get("appendonly"))
        snapshots = self.server.disclosed(lambda client: client.config_get("save"))
        if file | snapshots == {"appendonly": "no", "save": ""}:
            warnings.append(
                "Redis keeps nothing on disk: after it restarts, the day's requests are admitted "
                "once more; set appendonly yes"
            )
        memory = self.server.disclosed(lambda client: client.info("memory"))
        policy = memory.get("maxmemory_policy", "noeviction")
        if policy != "noeviction":
            warnings.append(
                f"Redis may evict counts (maxmemory-policy is {policy}): the requests of their "
                "keys are admitted once more; set maxmemory-policy noeviction"
            )
        return warnings

    def close(self) -> None:
        super().close()
        self.server.close()
