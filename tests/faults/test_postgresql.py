"""PostgreSQL fails under load, and recovers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta

import pytest

from evref.testing.builders import OPERATOR
from tests.faults.conftest import NewHost
from tests.faults.load import assert_promised, burst, under_load, wait_for
from tests.servers import PostgresqlServer, database_name

Fault = Callable[[PostgresqlServer], AbstractContextManager[None]]


@contextmanager
def read_only(server: PostgresqlServer) -> Iterator[None]:
    """It rejects writes, like a standby, on open and new connections."""
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on")
    server.execute("SELECT pg_reload_conf()")
    yield
    server.execute("ALTER SYSTEM RESET ALL")
    server.execute("SELECT pg_reload_conf()")


@contextmanager
def crashed(server: PostgresqlServer) -> Iterator[None]:
    """It ends without a checkpoint, and recovers from its log when it starts."""
    server.stop(how=signal.SIGQUIT)
    yield
    server.start()


FAULTS: dict[str, Fault] = {
    "stopped": lambda server: server.stopped(),
    "crashed": crashed,
    "frozen": lambda server: server.frozen(),
    "read only": read_only,
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


def test_terminated_connections_fail_at_most_their_own_requests(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """For example by an administrator, or by a proxy that restarts."""
    host = new_host()
    key = host.new_key()
    database = database_name(host.settings.database_url)

    with under_load(host, key=key, clients=4) as responses:
        for _ in range(5):
            wait_for(responses, 200)
            database_server.cut_connections(database)
        wait_for(responses, 200)

    assert_promised(responses, 200, 503)
    # Each connection had at most one request, each of the five times.
    assert sum(response.status == 503 for response in responses) <= 5 * 4


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


def test_a_key_rotated_on_one_host_has_both_secrets_on_the_other(new_host: NewHost) -> None:
    """With the next request, on one limit; a rotation without overlap ends the old ones."""
    one, other = new_host(), new_host()
    old = one.new_key(limit=60)

    new = one.container.manage_keys().rotate(OPERATOR, old.key.id, keep_old_for=timedelta(hours=1))
    responses = [*burst(one, other, key=old, requests=40), *burst(one, other, key=new, requests=40)]
    newest = one.container.manage_keys().rotate(OPERATOR, old.key.id, keep_old_for=timedelta(0))

    assert [response.status for response in responses].count(200) == 60
    assert {response.status for response in responses} == {200, 429}
    assert [other.get(key).status for key in (old, new, newest)] == [401, 401, 429]
