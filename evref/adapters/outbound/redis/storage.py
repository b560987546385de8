"""Storage of which the counters are in Redis: it is there when both parts are."""

from evref.adapters.outbound.redis.server import RedisServer
from evref.ports import storage


class RedisStorage(storage.Storage):
    """The storage of everything else, and the server of the counters, which needs no tables."""

    def __init__(self, rest: storage.Storage, server: RedisServer) -> None:
        self._rest = rest
        self._server = server

    def prepare(self) -> None:
        self._rest.prepare()

    def verify(self) -> None:
        self._rest.verify()

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

    def close(self) -> None:
        self._rest.close()
        self._server.close()
