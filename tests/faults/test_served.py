"""Services in separate processes: hung storage, killed workers, and a full disk."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

import psutil

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.settings import Settings
from evref.testing.builders import OPERATOR
from tests.faults.conftest import ON_POSTGRESQL, Counters, NewHost
from tests.faults.load import DIAGNOSES, Host, Response, assert_promised, repeating, wait_for
from tests.server.conftest import Server, environment
from tests.servers import free_port, wait_until

WORKERS = 2
THREADS = 2


class Served(Server):
    """An `evref serve` with its workers."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        port = free_port()
        command = [sys.executable, "-m", "evref", "serve", "--bind", f"127.0.0.1:{port}"]
        command += ["--workers", str(WORKERS), "--threads", str(THREADS)]
        urls = {"database_url": settings.database_url, "quota_url": settings.quota_url or ""}
        super().__init__(command, folder, port, environment(**urls))

    def send(self, key: NewKey) -> Response:
        """Send a request; without a response, as when its worker was killed, the status is 0."""
        sent_at = time.monotonic()
        try:
            answer = self.get(DIAGNOSES, key.token.text)
        except (OSError, HTTPException):
            return Response(0, None, sent_at)
        return Response(answer.status, answer.headers.get("Retry-After"), sent_at)


@contextmanager
def served(settings: Settings, folder: Path, *, services: int = 1) -> Iterator[list[Served]]:
    """Run services with these settings, each on its own port, until the end of the block."""
    with ExitStack() as stack:
        started = [Served(settings, folder) for _ in range(services)]
        for service in started:
            stack.callback(service.wait_until_ended)
            stack.callback(service.process.terminate)
        for service in started:
            service.wait_until_ready(WORKERS)
        yield started


@contextmanager
def served_under_load(
    service: Served, key: NewKey, *, clients: int = 6
) -> Iterator[list[Response]]:
    """Send requests continuously; the list of responses is complete at the end."""
    with repeating(lambda _: service.send(key), clients) as responses:
        yield responses


def statuses(responses: list[Response]) -> list[int]:
    return [response.status for response in responses]


def assert_ends_at_a_limit(host: Host, service: Served, key: NewKey) -> None:
    """Assert that the service admits exactly as many requests as are left of a new limit."""
    left = 20
    limit = host.today(key).admitted + left
    host.container.manage_keys().change(OPERATOR, key.key.id, daily_limit=limit)

    responses = [service.send(key) for _ in range(left + 5)]

    assert statuses(responses) == [200] * left + [429] * 5
    assert host.today(key).admitted == limit


def test_two_services_admit_exactly_the_limit_and_respond_while_storage_hangs(
    new_host: NewHost, counters: Counters, tmp_path: Path
) -> None:
    """There are eight times as many clients as threads."""
    host = new_host()
    key = host.new_key(limit=300)

    with served(host.settings, tmp_path, services=2) as services, ThreadPoolExecutor(64) as clients:

        def send(number: int) -> Response:
            return services[number % 2].send(key)

        responses = list(clients.map(send, range(400)))
        with counters.frozen():
            hung = list(clients.map(send, range(128)))
        wait_until(lambda: {send(0).status, send(1).status} == {429})

    assert sorted(statuses(responses)) == [200] * 300 + [429] * 100
    assert_promised(responses, 200, 429)
    assert_promised(hung, 503)


@ON_POSTGRESQL
def test_killed_workers_are_replaced_and_admit_no_extra_requests(
    new_host: NewHost, tmp_path: Path
) -> None:
    """A request that was counted but got no response is lost, and never admitted twice."""
    host, kills = new_host(), 4
    key = host.new_key(limit=1_000_000)

    with served(host.settings, tmp_path) as (service,):
        with served_under_load(service, key) as responses:
            for _ in range(kills):
                wait_for(responses, 200)
                # The worker before may not be replaced yet, and end at any moment.
                with suppress(psutil.NoSuchProcess):
                    service.processes()[0].kill()
            wait_for(responses, 200)
        lost = host.today(key).admitted - statuses(responses).count(200)
        assert_ends_at_a_limit(host, service, key)

    assert_promised([response for response in responses if response.status], 200, 503)
    assert 0 <= lost <= kills * THREADS


@contextmanager
def full_disk(service: Served) -> Iterator[None]:
    """Let no worker write to any file, as on a full disk."""
    workers = service.processes()
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    for worker in workers:
        worker.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_on_a_full_disk_nothing_is_served_uncounted_until_there_is_space_again(
    tmp_path: Path,
) -> None:
    """A load balancer avoids the service meanwhile; no restart is needed."""
    host = Host(Settings(database_url=f"sqlite:///{tmp_path}/evref.sqlite"))
    host.prepare()
    key = host.new_key(limit=1_000_000)

    with served(host.settings, tmp_path) as (service,):
        with served_under_load(service, key, clients=4) as responses:
            wait_for(responses, 200)
            with full_disk(service):
                refused = wait_for(responses, 503)
                ready_while_full = service.get("/health/ready").status
            wait_for(responses, 200)
        ready_after = service.get("/health/ready").status
        counted = host.today(key).admitted
        assert_ends_at_a_limit(host, service, key)

    assert_promised(responses, 200, 503)
    assert_promised(refused, 503)
    assert (ready_while_full, ready_after) == (503, 200)
    assert counted == statuses(responses).count(200)
    host.close()
