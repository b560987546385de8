"""A storage in memory with its counters in Redis."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.redis import RedisStorage
from evref.domain.principal import Principal
from evref.ports.storage import Changes
from tests import servers
from tests.fakes import FakeClock


class WaitingStorage(RedisStorage):
    """Advances the clock after each change, by the second until the change has effect."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self.clock = FakeClock()
        super().__init__(MemoryStorage(), url, self.clock, timeout_seconds=timeout_seconds)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with super().changes(principal, instant) as changes:
            yield changes
        self.clock.advance(seconds=1)


def storage_on(redis: servers.RedisServer, timeout_seconds: float = 30) -> Iterator[WaitingStorage]:
    """Yield a storage with its counters on this server, which is emptied first.

    The default timeout is long, because the tests do not test how long Redis takes.
    """
    with redis.client() as client:
        client.flushall()
    storage = WaitingStorage(redis.url, timeout_seconds)
    yield storage
    storage.close()


@pytest.fixture
def storage(redis: servers.RedisServer) -> Iterator[WaitingStorage]:
    yield from storage_on(redis)
