"""Publishes another catalogue while clients ask: how long the slowest of them waits."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import threading
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle
from urllib.parse import urlsplit

from benchmarks.contenders import Contender
from benchmarks.talk import bearer
from evref.container import Container
from evref.domain.catalogue import Catalogue, Entry
from evref.settings import Settings
from evref.testing.stores import keep_catalogue

CLIENTS = 4
DIAGNOSES_ASKED_FOR = 200

_SECONDS_AFTER = 1.0
_SECONDS_TO_SERVE = 120.0


@dataclass(frozen=True, slots=True)
class Swap:
    """What came of it. Milliseconds, bytes, and seconds from publishing to the first new answer.

    `slowest_ms` is of the lists of interventions, `slowest_list_ms` of the lists of all diagnoses.
    """

    answers: int
    slowest_ms: float
    slowest_list_ms: float
    seconds: float
    resident_before: int
    resident_most: int


def swap(contender: Contender, settings: Settings, catalogue: Catalogue) -> Swap:
    """Publish the catalogue, each entry of which is new, while clients go on asking.

    Raises:
        SystemExit: when it is not served in the end.

    """
    token = contender.tokens.busy if contender.tokens else ""
    ids = [entry.diagnosis.id for entry in catalogue.entries][:DIAGNOSES_ASKED_FOR]
    before = contender.server.memory().resident
    clients = [_Client(contender.server.address, token, ids[n:] + ids[:n]) for n in range(CLIENTS)]
    # Those that it would render for the first time are not what is measured.
    for client in clients:
        client.start()
    time.sleep(_SECONDS_AFTER)
    published = multiprocessing.get_context("fork").Event()
    publisher = multiprocessing.get_context("fork").Process(
        target=_publish, args=(settings, catalogue, published)
    )
    publisher.start()
    most, published_at, served_at = before, None, None
    deadline = time.monotonic() + _SECONDS_TO_SERVE
    while served_at is None or time.monotonic() < served_at + _SECONDS_AFTER:
        if time.monotonic() > deadline:
            raise SystemExit("benchmarks: what was published is not served")
        time.sleep(0.02)
        most = max(most, contender.server.memory().resident)
        if published_at is None and published.is_set():
            published_at = time.monotonic()
        if served_at is None and any(client.version == catalogue.version for client in clients):
            served_at = time.monotonic()
    for client in clients:
        client.stop()
    publisher.join()
    return Swap(
        answers=sum(len(client.seconds) for client in clients),
        slowest_ms=round(1000 * max(max(client.seconds) for client in clients), 1),
        slowest_list_ms=round(1000 * max(max(client.list_seconds) for client in clients), 1),
        seconds=round(served_at - (published_at or served_at), 2),
        resident_before=before,
        resident_most=most,
    )


def changed(catalogue: Catalogue) -> Catalogue:
    """The same with each entry checked a day later."""
    return Catalogue(
        Entry(
            replace(entry.diagnosis, checked_on=entry.diagnosis.checked_on + timedelta(days=1)),
            entry.interventions,
        )
        for entry in catalogue.entries
    )


def _publish(settings: Settings, catalogue: Catalogue, published: object) -> None:
    # It has no core of its own here.
    os.nice(10)
    keep_catalogue(Container(settings=settings).catalogue_store(), catalogue)
    published.set()  # type: ignore[attr-defined]


class _Client(threading.Thread):
    """Asks for one list of interventions after the other, and now and then for all diagnoses."""

    def __init__(self, address: str, token: str, ids: list[str]) -> None:
        super().__init__(daemon=True)
        self.seconds: list[float] = []
        self.list_seconds: list[float] = []
        self.version: str | None = None
        self._netloc = urlsplit(address).netloc
        self._headers = bearer(token)
        self._paths = cycle(
            ["/api/v1/diagnoses", *(f"/api/v1/diagnoses/{each}/interventions" for each in ids)]
        )
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._netloc)
        for path in self._paths:
            if self._stopped.is_set():
                break
            began = time.perf_counter()
            connection.request("GET", path, headers=self._headers)
            body = connection.getresponse().read()
            taken = time.perf_counter() - began
            (self.list_seconds if path.endswith("diagnoses") else self.seconds).append(taken)
            if not path.endswith("diagnoses"):
                self.version = json.loads(body)["meta"]["catalogue_version"]
        connection.close()
