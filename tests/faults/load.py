"""Services in this process, as several hosts would run them, and clients that go on asking."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event

from evref.application.manage_keys import NewKey
from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref.domain.access.key import Permission
from evref.domain.access.quota import DayUsage
from evref.testing.builders import OPERATOR, a_catalogue
from evref.testing.stores import keep_catalogue
from tests.institutions import institution_id
from tests.servers import wait_until

DIAGNOSES = "/api/v1/diagnoses"
INSTITUTION = "General Hospital"

LONGEST_WAIT_SECONDS = 3.0
MACHINES_ARE_NOISY_SECONDS = 1.0
CLIENTS = 6


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client got: `retry_after` is None where the answer does not have the field."""

    status: int
    retry_after: str | None
    seconds: float


class Host:
    """One service: its settings, its own connections, and what it holds in memory."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.container = Container(settings=settings)
        self._app = create_app(settings, self.container)

    def prepare(self) -> None:
        """Make the tables, an institution and a catalogue."""
        self.container.schema().prepare()
        self.container.manage_institutions().create_institution(OPERATOR, INSTITUTION)
        keep_catalogue(self.container.catalogue_store(), a_catalogue())

    def new_key(self, *, limit: int = 1_000_000) -> NewKey:
        return self.container.manage_keys().create(
            OPERATOR,
            institution_id(self.container, INSTITUTION),
            name="Ward app",
            permission=Permission.READ,
            daily_limit=limit,
            expires_on=None,
        )

    def get(self, key: NewKey, path: str = DIAGNOSES) -> Answer:
        start = time.monotonic()
        response = self._app.test_client().get(
            path, headers={"Authorization": f"Bearer {key.token.text}"}
        )
        seconds = time.monotonic() - start
        return Answer(response.status_code, response.headers.get("Retry-After"), seconds)

    def today(self, key: NewKey) -> DayUsage:
        """What was counted today."""
        today = datetime.now(UTC).date()
        usage: DayUsage = self.container.usage_reports().history(key.key.id, today, today)[0]
        return usage


@contextmanager
def asking(*hosts: Host, key: NewKey, clients: int = CLIENTS) -> Iterator[list[Answer]]:
    """So many clients go on asking the hosts in turn meanwhile; their answers, complete after."""
    with going_on(lambda number: hosts[number % len(hosts)].get(key), clients) as answers:
        yield answers


@contextmanager
def going_on(ask: Callable[[int], Answer], clients: int) -> Iterator[list[Answer]]:
    """So many clients, each by its number from 0, ask over and over until the end of the block."""
    answers: list[Answer] = []
    enough = Event()

    def ask_on(number: int) -> None:
        while not enough.is_set():
            answers.append(ask(number))

    with ThreadPoolExecutor(clients) as threads:
        asked = [threads.submit(ask_on, number) for number in range(clients)]
        try:
            yield answers
        finally:
            enough.set()
    for each in asked:
        each.result()


def burst(*hosts: Host, key: NewKey, requests: int, clients: int = 16) -> list[Answer]:
    """The answers to so many requests at once, spread over the hosts."""
    with ThreadPoolExecutor(clients) as threads:
        return list(
            threads.map(lambda number: hosts[number % len(hosts)].get(key), range(requests))
        )


def wait_for(answers: list[Answer], status: int, *, seconds: float = 8) -> None:
    """Wait until a client that asked from now on has got this status."""
    before = len(answers)
    wait_until(lambda: status in {answer.status for answer in answers[before:]}, seconds=seconds)


def assert_promised(answers: list[Answer], *statuses: int) -> None:
    """Each answer has one of the statuses, came in time, and says when to ask again where due."""
    assert {answer.status for answer in answers} <= set(statuses)
    for answer in answers:
        assert answer.seconds < LONGEST_WAIT_SECONDS + MACHINES_ARE_NOISY_SECONDS
        assert (answer.retry_after is not None) == (answer.status in {429, 503})
