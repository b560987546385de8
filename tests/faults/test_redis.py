"""Redis fails under a service that goes on being asked, and comes back."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from evref.bootstrap.settings import Settings
from evref.testing.builders import OPERATOR
from tests.faults.conftest import NewHost
from tests.faults.load import Host, asking, assert_promised, burst, wait_for
from tests.servers import PostgresqlServer, RedisServer, free_port, redis_server, wait_until

Fault = Callable[[RedisServer], AbstractContextManager[None]]


@contextmanager
def read_only(server: RedisServer) -> Iterator[None]:
    """It became the replica of a server that is not there, and keeps what it has."""
    with server.client() as client:
        client.replicaof("127.0.0.1", free_port())
        yield
        client.replicaof("NO", "ONE")


@contextmanager
def slow(server: RedisServer) -> Iterator[None]:
    """One command keeps it busy for longer than anybody waits."""
    with server.client() as client:
        client.execute_command("CLIENT PAUSE", 2500)
        yield
        client.ping()


@contextmanager
def killed(server: RedisServer) -> Iterator[None]:
    """It ends as if its machine had, and comes back with what it had written."""
    server.stop(how=signal.SIGKILL)
    yield
    server.start()


@contextmanager
def out_of_memory(server: RedisServer) -> Iterator[None]:
    """It refuses what needs more, rather than forget a count."""
    with server.client() as client:
        client.config_set("maxmemory", 1)
        yield
        client.config_set("maxmemory", 0)


@contextmanager
def without_replicas(server: RedisServer) -> Iterator[None]:
    """It takes no write that no replica would have."""
    with server.client() as client:
        client.config_set("min-replicas-to-write", 1)
        yield
        client.config_set("min-replicas-to-write", 0)


FAULTS: dict[str, Fault] = {
    "stopped": lambda server: server.stopped(),
    "killed": killed,
    "frozen": lambda server: server.frozen(),
    "read only": read_only,
    "slow": slow,
    "out of memory": out_of_memory,
    "without replicas": without_replicas,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_requests_are_refused_in_time_until_it_is_back_and_the_limit_holds_throughout(
    new_host: NewHost, counter_server: RedisServer, fault: Fault
) -> None:
    """What was admitted before the fault still counts after it."""
    hosts = [new_host(), new_host()]
    key = hosts[0].new_key(limit=60)
    answers = burst(*hosts, key=key, requests=40)

    with asking(*hosts, key=key) as asked:
        with fault(counter_server):
            wait_for(asked, 503)
        wait_for(asked, 429)
        time.sleep(0.2)

    answers += asked
    assert_promised(answers, 200, 429, 503)
    assert sum(answer.status == 200 for answer in answers) <= 60
    assert hosts[1].today(key).admitted == 60


def test_a_restart_fails_no_request_that_comes_after_it(
    new_host: NewHost, counter_server: RedisServer
) -> None:
    """Not one, although every connection of the pool is dead, and the script forgotten."""
    host = new_host()
    key = host.new_key()
    burst(host, key=key, requests=64)

    with counter_server.stopped():
        pass

    assert {answer.status for answer in burst(host, key=key, requests=64)} == {200}
    assert host.today(key).admitted == 128


def test_connections_that_are_cut_fail_at_most_what_is_on_them(
    new_host: NewHost, counter_server: RedisServer
) -> None:
    """As by an administrator, or a proxy that restarts."""
    host = new_host()
    key = host.new_key()

    with asking(host, key=key, clients=4) as answers, counter_server.client() as client:
        for _ in range(5):
            wait_for(answers, 200)
            client.client_kill_filter(_type="normal", skipme=True)
        wait_for(answers, 200)

    assert_promised(answers, 200, 503)
    assert sum(answer.status == 503 for answer in answers) <= 5 * 4
    assert host.today(key).admitted >= sum(answer.status == 200 for answer in answers)


def test_a_service_is_ready_only_while_it_can_count(
    new_host: NewHost, counter_server: RedisServer
) -> None:
    """A load balancer sends nobody to a host that would refuse them."""
    host = new_host()
    report = host.container.report_health()
    assert report.readiness().ready

    with read_only(counter_server):
        assert not report.readiness().ready

    assert report.readiness().ready


def test_a_redis_that_comes_back_empty_counts_anew(
    database_server: PostgresqlServer,
) -> None:
    """Where it is told to keep nothing, the day's limit begins again: the operator's choice."""
    url = database_server.url(database_server.new_database())
    with redis_server() as forgetful:
        host = Host(Settings(database_url=url, quota_url=forgetful.url))
        host.prepare()
        key = host.new_key(limit=10)
        before = burst(host, key=key, requests=15)

        with forgetful.stopped():
            pass
        after = burst(host, key=key, requests=15)

        for answers in (before, after):
            assert sorted(answer.status for answer in answers) == [200] * 10 + [429] * 5
        host.container.connections().close()


def test_a_key_that_one_host_revokes_the_other_refuses_within_a_second(
    new_host: NewHost, counter_server: RedisServer
) -> None:
    """It holds what it knows of a key for half of one."""
    one, other = new_host(), new_host()
    key = one.new_key()
    assert other.get(key).status == 200

    one.container.manage_keys().revoke(OPERATOR, key.key.id)

    wait_until(lambda: other.get(key).status == 401, seconds=1)


def test_without_the_database_nothing_is_served_although_redis_counts(
    new_host: NewHost, counter_server: RedisServer, database_server: PostgresqlServer
) -> None:
    """Whether a key was revoked meanwhile nobody could tell."""
    host = new_host()
    key = host.new_key()

    with asking(host, key=key) as answers:
        wait_for(answers, 200)
        with database_server.stopped():
            wait_for(answers, 503)
            time.sleep(1)
            late = len(answers)
            wait_for(answers, 503)
            assert 200 not in {answer.status for answer in answers[late:]}
        wait_for(answers, 200)

    assert_promised(answers, 200, 503)
