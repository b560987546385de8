"""Storage of which the counters are in Redis: it works when both parts do."""

from evref.adapters.outbound.redis.server import RedisServer
from evref.ports import storage


class RedisHealth(storage.StorageHealth):
    """Of the storage of everything else, and of the server of the counters."""

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
    """To the storage of everything else, and to the server of the counters."""

    def __init__(self, rest: storage.StorageConnections, server: RedisServer) -> None:
        self._rest = rest
        self._server = server

    def close(self) -> None:
        self._rest.close()
        self._server.close()
