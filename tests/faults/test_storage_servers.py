"""PostgreSQL and Redis fail under load, and recover."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.faults.conftest import ON_POSTGRESQL, ON_REDIS, Counters, NewHost
from tests.faults.load import assert_promised, burst, under_load, wait_for
from tests.servers import PostgresqlServer, RedisServer, database_name

Fault = Callable[[Counters], AbstractContextManager[None]]


@contextmanager
def crashed(server: Counters) -> Iterator[None]:
    """Crash the server: PostgreSQL stops without a checkpoint, and Redis is killed."""
    is_redis = isinstance(server, RedisServer)
    server.stop(how=signal.SIGKILL if is_redis else signal.SIGQUIT)
    yield
    server.start()


FAULTS: dict[str, Fault] = {"crashed": crashed, "frozen": lambda server: server.frozen()}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_requests_get_503_during_a_fault_and_the_limit_holds_throughout(
    new_host: NewHost, counters: Counters, fault: Fault
) -> None:
    """Requests that two hosts admitted before the fault still count after it."""
    hosts = [new_host(), new_host()]
    key = hosts[0].new_key(limit=60)
    responses = burst(*hosts, key=key, requests=40)

    with under_load(*hosts, key=key) as sent:
        with fault(counters):
            wait_for(sent, 503)
        wait_for(sent, 429)

    responses += sent
    assert_promised(responses, 200, 429, 503)
    assert sum(response.status == 200 for response in responses) <= 60
    assert hosts[1].today(key).admitted == 60


def test_no_request_after_a_restart_fails(
    new_host: NewHost, counters: Counters, patience: dict[str, float]
) -> None:
    """All pooled connections are dead, and Redis has lost its scripts."""
    host = new_host(**patience)
    key = host.new_key(limit=1_000_000)
    burst(host, key=key, requests=32, clients=4)

    with counters.stopped():
        pass

    assert {response.status for response in burst(host, key=key, requests=32, clients=4)} == {200}
    assert host.today(key).admitted == 64


@ON_POSTGRESQL
def test_a_host_opens_at_most_the_configured_number_of_connections(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """With fewer connections than clients, each request is counted or gets 503."""
    host = new_host(database_connections=2)
    key = host.new_key(limit=1_000_000)
    name = database_name(host.settings.database_url)

    responses = burst(host, key=key, requests=200)

    connections = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
    assert database_server.execute(connections) == [(2,)]
    assert_promised(responses, 200, 503)
    assert host.today(key).admitted >= [response.status for response in responses].count(200) > 0


@ON_REDIS
def test_without_the_database_nothing_is_served_although_redis_counts(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """A key may have been revoked meanwhile."""
    host = new_host()
    key = host.new_key(limit=1_000_000)

    with under_load(host, key=key) as responses:
        wait_for(responses, 200)
        with database_server.stopped():
            # A key that was looked up before may be held for a second.
            late = wait_for(responses, 503, later=1)
            assert 200 not in {response.status for response in late}
        wait_for(responses, 200)

    assert_promised(responses, 200, 503)
