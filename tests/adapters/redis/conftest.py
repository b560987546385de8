"""Everything in memory, but for the counters, which are in Redis."""

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
    """Each change waits the second that it may take to have effect."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self.clock = FakeClock()
        super().__init__(MemoryStorage(), url, self.clock, timeout_seconds=timeout_seconds)

    @contextmanager
    def changes(self, principal: Principal, instant: datetime) -> Iterator[Changes]:
        with super().changes(principal, instant) as changes:
            yield changes
        self.clock.advance(seconds=1)


def storage_on(redis: servers.RedisServer, timeout_seconds: float = 30) -> Iterator[WaitingStorage]:
    """A storage with its counters on this server, which is emptied.

    By default it waits for long, because what is tested is not how long Redis may take.
    """
    with redis.client() as client:
        client.flushall()
    storage = WaitingStorage(redis.url, timeout_seconds)
    yield storage
    storage.close()


@pytest.fixture
def storage(redis: servers.RedisServer) -> Iterator[WaitingStorage]:
    yield from storage_on(redis)
