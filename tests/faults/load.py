"""Services in this process, as on several hosts, and clients that send requests continuously."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.app import create_app
from evref.bootstrap.settings import Settings
from evref.domain.access.quota import DayUsage
from evref.testing.builders import OPERATOR, a_catalogue
from evref.testing.filling import keep_catalogue
from tests.installation import INSTITUTION, Installation
from tests.servers import wait_until

DIAGNOSES = "/api/v1/diagnoses"

CLIENTS = 6


@dataclass(frozen=True, slots=True)
class Response:
    """A response; `retry_after` is None if the response does not have the field."""

    status: int
    retry_after: str | None
    sent_at: float  # seconds, of `time.monotonic`


class Host(Installation):
    """A service with its own settings, connections and caches."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._app = create_app(settings, self.container)

    def prepare(self) -> None:
        self.container.storage().prepare()
        self.container.manage_institutions().create_institution(OPERATOR, INSTITUTION)
        keep_catalogue(self.container.storage(), a_catalogue())

    def get(self, key: NewKey, path: str = DIAGNOSES) -> Response:
        sent_at = time.monotonic()
        response = self._app.test_client().get(
            path, headers={"Authorization": f"Bearer {key.token.text}"}
        )
        return Response(response.status_code, response.headers.get("Retry-After"), sent_at)

    def today(self, key: NewKey) -> DayUsage:
        """Return today's counts."""
        today = datetime.now(UTC).date()
        usage: DayUsage = self.container.storage().usage.history(key.key.id, today, today)[0]
        return usage


@contextmanager
def under_load(*hosts: Host, key: NewKey, clients: int = CLIENTS) -> Iterator[list[Response]]:
    """Send requests to the hosts continuously; the list of responses is complete at the end."""
    with repeating(lambda number: hosts[number % len(hosts)].get(key), clients) as responses:
        yield responses


@contextmanager
def repeating(send: Callable[[int], Response], clients: int) -> Iterator[list[Response]]:
    """Call `send` continuously in several clients, with their number from 0, during the block."""
    responses: list[Response] = []
    enough = Event()

    def repeat(number: int) -> None:
        while not enough.is_set():
            responses.append(send(number))

    with ThreadPoolExecutor(clients) as threads:
        tasks = [threads.submit(repeat, number) for number in range(clients)]
        try:
            yield responses
        finally:
            enough.set()
    for task in tasks:
        task.result()


def burst(*hosts: Host, key: NewKey, requests: int, clients: int = 16) -> list[Response]:
    """Send concurrent requests, spread over the hosts, and return the responses."""
    with ThreadPoolExecutor(clients) as threads:
        return list(
            threads.map(lambda number: hosts[number % len(hosts)].get(key), range(requests))
        )


def wait_for(responses: list[Response], status: int, *, later: float = 0.0) -> list[Response]:
    """Wait until a request that is sent from now on, or so many seconds later, has this status.

    Returns:
        The responses to the requests that were sent since then.

    """
    since = time.monotonic() + later

    def sent() -> list[Response]:
        return [response for response in responses if response.sent_at >= since]

    wait_until(lambda: status in {response.status for response in sent()})
    return sent()


def assert_promised(responses: list[Response], *statuses: int) -> None:
    """Assert that each response has an allowed status, and Retry-After if required."""
    assert {response.status for response in responses} <= set(statuses)
    for response in responses:
        assert (response.retry_after is not None) == (response.status in {429, 503})
