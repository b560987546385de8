"""Storage with its counters in Redis: it works only if both parts work."""

from evref.adapters.outbound.redis.server import RedisServer
from evref.ports import storage


class RedisHealth(storage.StorageHealth):
    """Checks the main storage and the Redis server of the counters."""

    def __init__(self, rest: storage.StorageHealth, server: RedisServer) -> None:
        self._rest = rest
        self._server = server

    def ping(self) -> None:
        self._rest.ping()
        self._server.ping()

    def warnings(self) -> list[str]:
        warnings = self._rest.warnings()
        if self._server.keeps_nothing():
            warnings.append(
                "Redis keeps nothing on disk: after it restarts, the day's requests are admitted "
                "once more; set appendonly yes"
            )
        return warnings


class RedisConnections(storage.StorageConnections):
    """Closes connections to the main storage and to the Redis server of the counters."""

    def __init__(self, rest: storage.StorageConnections, server: RedisServer) -> None:
        self._rest = rest
        self._server = server

    def close(self) -> None:
        self._rest.close()
        self._server.close()
