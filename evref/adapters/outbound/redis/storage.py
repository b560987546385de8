"""A storage with its counters in Redis; another storage has everything else, including the keys."""

from evref.adapters.outbound.redis.server import RedisServer
from evref.adapters.outbound.redis.usage import RedisAdmission, RedisUsageReports
from evref.ports.storage import DelegatingStorage, Storage
from evref.ports.system import Clock


class RedisStorage(DelegatingStorage):
    """See `RedisServer` for `url` and `timeout_seconds`, and for the errors."""

    def __init__(
        self, rest: Storage, url: str, clock: Clock, *, timeout_seconds: float = 2.5
    ) -> None:
        super().__init__(rest)
        self.server = RedisServer(url, timeout_seconds=timeout_seconds)
        self.admission = RedisAdmission(self.server, rest.keys, clock)
        self.usage = RedisUsageReports(self.server)

    def ping(self) -> None:
        super().ping()
        self.server.ping()

    def warnings(self) -> list[str]:
        warnings = [*super().warnings()]
        if self.server.keeps_nothing():
            warnings.append(
                "Redis keeps nothing on disk: after it restarts, the day's requests are admitted "
                "once more; set appendonly yes"
            )
        return warnings

    def close(self) -> None:
        super().close()
        self.server.close()
