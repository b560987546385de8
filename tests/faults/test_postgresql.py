"""PostgreSQL fails under load, and recovers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.faults.conftest import NewHost
from tests.faults.load import assert_promised, burst, under_load, wait_for
from tests.servers import PostgresqlServer, database_name

Fault = Callable[[PostgresqlServer], AbstractContextManager[None]]


@contextmanager
def crashed(server: PostgresqlServer) -> Iterator[None]:
    """It ends without a checkpoint, and recovers from its log when it starts."""
    server.stop(how=signal.SIGQUIT)
    yield
    server.start()


FAULTS: dict[str, Fault] = {
    "crashed": crashed,
    "frozen": lambda server: server.frozen(),
}


def test_no_request_after_a_restart_fails(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """Although every pooled connection is dead."""
    host = new_host()
    key = host.new_key()
    burst(host, key=key, requests=64)

    with database_server.stopped():
        pass

    assert {response.status for response in burst(host, key=key, requests=64)} == {200}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_limit_holds_throughout(
    new_host: NewHost, database_server: PostgresqlServer, fault: Fault
) -> None:
    """For two hosts together: requests admitted before the fault still count after it."""
    hosts = [new_host(), new_host()]
    key = hosts[0].new_key(limit=60)
    responses = burst(*hosts, key=key, requests=40)

    with under_load(*hosts, key=key) as sent:
        with fault(database_server):
            wait_for(sent, 503)
        wait_for(sent, 429)

    responses += sent
    assert_promised(responses, 200, 429, 503)
    assert sum(response.status == 200 for response in responses) <= 60
    assert hosts[1].today(key).admitted == 60


def test_a_host_opens_at_most_the_configured_number_of_connections(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """With fewer connections than clients, each request is counted or gets 503."""
    host = new_host(database_connections=2)
    key = host.new_key()
    name = database_name(host.settings.database_url)

    responses = burst(host, key=key, requests=200)

    connections = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
    assert database_server.execute(connections) == [(2,)]
    assert_promised(responses, 200, 503)
    assert host.today(key).admitted >= [response.status for response in responses].count(200) > 0
