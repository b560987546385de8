"""Redis fails under load, and recovers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from evref.bootstrap.settings import Settings
from tests.faults.conftest import NewHost
from tests.faults.load import Host, assert_promised, burst, under_load, wait_for
from tests.servers import PostgresqlServer, RedisServer, redis_server

Fault = Callable[[RedisServer], AbstractContextManager[None]]


@contextmanager
def killed(server: RedisServer) -> Iterator[None]:
    """It is killed, and restarts with the data that it had written."""
    server.stop(how=signal.SIGKILL)
    yield
    server.start()


FAULTS: dict[str, Fault] = {
    "killed": killed,
    "frozen": lambda server: server.frozen(),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_requests_get_503_until_it_is_back_and_the_limit_holds_throughout(
    new_host: NewHost, counter_server: RedisServer, fault: Fault
) -> None:
    """Requests admitted before the fault still count after it."""
    hosts = [new_host(), new_host()]
    key = hosts[0].new_key(limit=60)
    responses = burst(*hosts, key=key, requests=40)

    with under_load(*hosts, key=key) as sent:
        with fault(counter_server):
            wait_for(sent, 503)
        wait_for(sent, 429)

    responses += sent
    assert_promised(responses, 200, 429, 503)
    assert sum(response.status == 200 for response in responses) <= 60
    assert hosts[1].today(key).admitted == 60


def test_no_request_after_a_restart_fails(new_host: NewHost, counter_server: RedisServer) -> None:
    """Although every pooled connection is dead, and Redis has lost the script."""
    host = new_host()
    key = host.new_key()
    burst(host, key=key, requests=64)

    with counter_server.stopped():
        pass

    assert {response.status for response in burst(host, key=key, requests=64)} == {200}
    assert host.today(key).admitted == 128


def test_a_redis_that_restarts_empty_starts_counting_from_zero(
    database_server: PostgresqlServer,
) -> None:
    """Without persistence, which is the operator's choice, the day's limit starts again."""
    url = database_server.url(database_server.new_database())
    with redis_server() as volatile:
        host = Host(Settings(database_url=url, quota_url=volatile.url))
        host.prepare()
        key = host.new_key(limit=10)
        before = burst(host, key=key, requests=15)

        with volatile.stopped():
            pass
        after = burst(host, key=key, requests=15)

        for responses in (before, after):
            assert sorted(response.status for response in responses) == [200] * 10 + [429] * 5
        host.container.storage().close()


def test_without_the_database_nothing_is_served_although_redis_counts(
    new_host: NewHost, counter_server: RedisServer, database_server: PostgresqlServer
) -> None:
    """Because a key could have been revoked meanwhile."""
    host = new_host()
    key = host.new_key()

    with under_load(host, key=key) as responses:
        wait_for(responses, 200)
        with database_server.stopped():
            # A key that was looked up before may be held for a second.
            late = wait_for(responses, 503, later=1)
            assert 200 not in {response.status for response in late}
        wait_for(responses, 200)

    assert_promised(responses, 200, 503)
