"""Services in processes of their own: on servers that hang, killed, ended, and on a full disk."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from evref.bootstrap.settings import Settings
from tests.faults.load import Answer, Host, assert_promised, wait_for
from tests.faults.served import THREADS, Served, asking_served, served
from tests.servers import PostgresqlServer, RedisServer, wait_until


@pytest.fixture
def on_postgresql(database_server: PostgresqlServer) -> Iterator[Host]:
    """A service in this process, by which the others' storage is made."""
    host = Host(Settings(database_url=database_server.url(database_server.new_database())))
    host.prepare()
    yield host
    host.container.connections().close()


@pytest.mark.parametrize("counted_in", ["database_server", "counter_server"])
def test_two_services_admit_exactly_the_limit_and_let_nobody_wait_for_a_server_that_hangs(
    database_server: PostgresqlServer,
    counted_in: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """With eight times as many clients as there are threads, none waits for those before it."""
    counters: PostgresqlServer | RedisServer = request.getfixturevalue(counted_in)
    url = database_server.url(database_server.new_database())
    quota_url = counters.url if isinstance(counters, RedisServer) else None
    host = Host(Settings(database_url=url, quota_url=quota_url))
    host.prepare()
    key = host.new_key(limit=300)

    with served(host.settings, tmp_path, services=2) as services, ThreadPoolExecutor(64) as clients:

        def ask(number: int) -> Answer:
            return services[number % 2].get(key)

        answers = list(clients.map(ask, range(400)))
        with counters.frozen():
            hung = list(clients.map(ask, range(128)))
        wait_until(lambda: {ask(0).status, ask(1).status} == {429}, seconds=10)

    assert sorted(answer.status for answer in answers) == [200] * 300 + [429] * 100
    assert_promised(answers, 200, 429)
    assert_promised(hung, 503)
    host.container.connections().close()


def test_workers_that_are_killed_are_replaced_and_let_nothing_more_through(
    on_postgresql: Host, tmp_path: Path
) -> None:
    """What one counted and did not answer is lost to the client, and never admitted twice."""
    limit, kills = 400, 4
    key = on_postgresql.new_key(limit=limit)

    with (
        served(on_postgresql.settings, tmp_path) as (service,),
        asking_served(service, key) as answers,
    ):
        for _ in range(kills):
            wait_for(answers, 200)
            service.workers()[0].kill()
        wait_for(answers, 429, seconds=30)

    statuses = [answer.status for answer in answers]
    assert_promised([answer for answer in answers if answer.status], 200, 429, 503)
    assert limit - kills * THREADS <= statuses.count(200) <= limit
    assert on_postgresql.today(key).admitted == limit


def test_sigterm_cuts_no_request_that_waits_for_postgresql(
    on_postgresql: Host, tmp_path: Path
) -> None:
    """They are answered as soon as it answers, and the service ends after that."""
    key = on_postgresql.new_key()

    with (
        served(on_postgresql.settings, tmp_path) as (service,),
        psycopg.connect(on_postgresql.settings.database_url) as other,
        ThreadPoolExecutor(THREADS) as clients,
    ):
        service.get(key)
        other.execute("LOCK TABLE daily_usage IN EXCLUSIVE MODE")
        under_way = [clients.submit(service.get, key) for _ in range(THREADS)]
        wait_until(lambda: waiting(on_postgresql) == THREADS, seconds=2)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert not any(each.done() for each in under_way)
        other.rollback()
        answers = [each.result() for each in under_way]

        assert_promised(answers, 200)
        assert service.process.wait(10) == 0


def waiting(host: Host) -> int:
    """How many wait for a lock in the database."""
    with psycopg.connect(host.settings.database_url) as connection:
        found = connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    assert found is not None
    count: int = found[0]
    return count


@contextmanager
def full_disk(service: Served) -> Iterator[None]:
    """No worker can write to any file: the system refuses it, as where no space is left."""
    workers = service.workers()
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_on_a_full_disk_nothing_is_served_uncounted_until_there_is_space_again(
    tmp_path: Path,
) -> None:
    """What SQLite counted before still counts after it; no restart is needed."""
    limit = 300
    host = Host(Settings(database_url=f"sqlite:///{tmp_path}/evref.sqlite"))
    host.prepare()
    key = host.new_key(limit=limit)

    with (
        served(host.settings, tmp_path) as (service,),
        asking_served(service, key, clients=4) as answers,
    ):
        wait_for(answers, 200)
        with full_disk(service):
            wait_for(answers, 503)
            # What was under way when the last worker's disk became full is answered by then.
            time.sleep(0.5)
            before = len(answers)
            wait_for(answers, 503)
            refused = {answer.status for answer in answers[before:]}
        wait_for(answers, 429, seconds=30)

    assert_promised(answers, 200, 429, 503)
    assert refused == {503}
    assert [answer.status for answer in answers].count(200) == limit
    assert host.today(key).admitted == limit
    host.container.connections().close()
