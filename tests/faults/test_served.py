"""Services in separate processes: hung storage, killed workers, a stop, and a full disk."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from evref.bootstrap.settings import Settings
from tests.faults.load import Host, Response, assert_promised, wait_for
from tests.faults.served import THREADS, Served, served, served_under_load
from tests.servers import PostgresqlServer, RedisServer, wait_until


@pytest.fixture
def on_postgresql(database_server: PostgresqlServer) -> Iterator[Host]:
    """A service in this process, which creates the storage of the others."""
    host = Host(Settings(database_url=database_server.url(database_server.new_database())))
    host.prepare()
    yield host
    host.container.storage().close()


def test_two_services_admit_exactly_the_limit_and_respond_while_storage_hangs(
    database_server: PostgresqlServer, counters: PostgresqlServer | RedisServer, tmp_path: Path
) -> None:
    """Even with eight times as many clients as threads."""
    url = database_server.url(database_server.new_database())
    quota_url = counters.url if isinstance(counters, RedisServer) else None
    host = Host(Settings(database_url=url, quota_url=quota_url))
    host.prepare()
    key = host.new_key(limit=300)

    with served(host.settings, tmp_path, services=2) as services, ThreadPoolExecutor(64) as clients:

        def send(number: int) -> Response:
            return services[number % 2].send(key)

        responses = list(clients.map(send, range(400)))
        with counters.frozen():
            hung = list(clients.map(send, range(128)))
        wait_until(lambda: {send(0).status, send(1).status} == {429})

    assert sorted(response.status for response in responses) == [200] * 300 + [429] * 100
    assert_promised(responses, 200, 429)
    assert_promised(hung, 503)
    host.container.storage().close()


def test_killed_workers_are_replaced_and_admit_no_extra_requests(
    on_postgresql: Host, tmp_path: Path
) -> None:
    """A request that was counted but got no response is lost, and never admitted twice."""
    limit, kills = 400, 4
    key = on_postgresql.new_key(limit=limit)

    with (
        served(on_postgresql.settings, tmp_path) as (service,),
        served_under_load(service, key) as responses,
    ):
        for _ in range(kills):
            wait_for(responses, 200)
            service.processes()[0].kill()
        wait_for(responses, 429)

    statuses = [response.status for response in responses]
    assert_promised([response for response in responses if response.status], 200, 429, 503)
    assert limit - kills * THREADS <= statuses.count(200) <= limit
    assert on_postgresql.today(key).admitted == limit


@contextmanager
def full_disk(service: Served) -> Iterator[None]:
    """No worker can write to any file: the system rejects it, as on a full disk."""
    workers = service.processes()
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_on_a_full_disk_nothing_is_served_uncounted_until_there_is_space_again(
    tmp_path: Path,
) -> None:
    """Requests counted before still count after it; no restart is needed."""
    limit = 300
    host = Host(Settings(database_url=f"sqlite:///{tmp_path}/evref.sqlite"))
    host.prepare()
    key = host.new_key(limit=limit)

    with (
        served(host.settings, tmp_path) as (service,),
        served_under_load(service, key, clients=4) as responses,
    ):
        wait_for(responses, 200)
        with full_disk(service):
            refused = {response.status for response in wait_for(responses, 503)}
        wait_for(responses, 429)

    assert_promised(responses, 200, 429, 503)
    assert refused == {503}
    assert [response.status for response in responses].count(200) == limit
    assert host.today(key).admitted == limit
    host.container.storage().close()
