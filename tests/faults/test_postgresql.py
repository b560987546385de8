"""PostgreSQL fails under a service that goes on being asked, and comes back."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from evref.testing.builders import OPERATOR
from tests.faults.conftest import NewHost
from tests.faults.load import asking, assert_promised, burst, wait_for
from tests.servers import PostgresqlServer, database_name

Fault = Callable[[PostgresqlServer], AbstractContextManager[None]]


@contextmanager
def read_only(server: PostgresqlServer) -> Iterator[None]:
    """It takes no writes, as a standby, on connections that are open and on new ones."""
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on")
    server.execute("SELECT pg_reload_conf()")
    yield
    server.execute("ALTER SYSTEM RESET ALL")
    server.execute("SELECT pg_reload_conf()")


@contextmanager
def crashed(server: PostgresqlServer) -> Iterator[None]:
    """It ends without writing anything down, and recovers from its log when it starts."""
    server.stop(how=signal.SIGQUIT)
    yield
    server.start()


FAULTS: dict[str, Fault] = {
    "stopped": lambda server: server.stopped(),
    "crashed": crashed,
    "frozen": lambda server: server.frozen(),
    "read only": read_only,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_requests_are_refused_in_time_until_it_is_back(
    new_host: NewHost, database_server: PostgresqlServer, fault: Fault
) -> None:
    """Nothing is served uncounted, and service resumes by itself."""
    host = new_host()
    key = host.new_key()

    with asking(host, key=key) as answers:
        wait_for(answers, 200)
        with fault(database_server):
            wait_for(answers, 503)
        wait_for(answers, 200)
        time.sleep(0.2)

    assert_promised(answers, 200, 503)
    served = sum(answer.status == 200 for answer in answers)
    assert host.today(key).admitted >= served
    assert {answer.status for answer in burst(host, key=key, requests=32)} == {200}


def test_a_restart_fails_no_request_that_comes_after_it(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """Not one, although every connection of the pool is dead."""
    host = new_host()
    key = host.new_key()
    burst(host, key=key, requests=64)

    with database_server.stopped():
        pass

    assert {answer.status for answer in burst(host, key=key, requests=64)} == {200}


def test_connections_that_are_cut_fail_at_most_what_is_on_them(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """As by an administrator, or a proxy that restarts."""
    host = new_host()
    key = host.new_key()
    database = database_name(host.settings.database_url)

    with asking(host, key=key, clients=4) as answers:
        for _ in range(5):
            wait_for(answers, 200)
            database_server.cut_connections(database)
        wait_for(answers, 200)

    assert_promised(answers, 200, 503)
    # On each connection was at most one request, each of the five times.
    assert sum(answer.status == 503 for answer in answers) <= 5 * 4


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_limit_holds_throughout(
    new_host: NewHost, database_server: PostgresqlServer, fault: Fault
) -> None:
    """Of two hosts together: what was admitted before the fault still counts after it."""
    hosts = [new_host(), new_host()]
    key = hosts[0].new_key(limit=60)
    answers = burst(*hosts, key=key, requests=40)

    with asking(*hosts, key=key) as asked:
        with fault(database_server):
            wait_for(asked, 503)
        wait_for(asked, 429)

    answers += asked
    assert_promised(answers, 200, 429, 503)
    assert sum(answer.status == 200 for answer in answers) <= 60
    assert hosts[1].today(key).admitted == 60


def test_a_host_makes_no_more_connections_than_it_may(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """With fewer than clients, these take turns, and each is counted or told to ask again."""
    host = new_host(database_connections=2)
    key = host.new_key()
    name = database_name(host.settings.database_url)

    answers = burst(host, key=key, requests=200)

    connections = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
    assert database_server.execute(connections) == [(2,)]
    assert_promised(answers, 200, 503)
    assert host.today(key).admitted >= [answer.status for answer in answers].count(200) > 0


def test_a_host_waits_no_longer_than_it_is_told(
    new_host: NewHost, database_server: PostgresqlServer
) -> None:
    """Operators may want a 503 sooner than in three seconds."""
    host = new_host(storage_timeout_seconds=0.2)
    key = host.new_key()
    host.get(key)

    with database_server.frozen():
        answer = host.get(key)

    assert answer.status == 503
    assert answer.seconds < 1.5


def test_a_key_that_one_host_revokes_the_other_refuses(new_host: NewHost) -> None:
    """From the next request on."""
    one, other = new_host(), new_host()
    key = one.new_key()
    assert other.get(key).status == 200

    one.container.manage_keys().revoke(OPERATOR, key.key.id)

    assert other.get(key).status == 401
