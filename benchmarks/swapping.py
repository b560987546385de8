"""Publishes another catalogue under load, and measures the slowest response."""

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

from benchmarks.client import bearer
from benchmarks.contenders import Contender
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.testing.stores import keep_catalogue

SIZES = (1_500, 10_500)

_CLIENTS = 2
_LISTS = 200
"""Clients request the interventions of this number of diagnoses, then all diagnoses, repeatedly."""

_SECONDS_BEFORE = 3.0
_SECONDS_AFTER = 1.0
_SECONDS_TO_SERVE = 600.0


@dataclass(frozen=True, slots=True)
class Swap:
    """The result of one swap.

    It has the slowest response, in milliseconds, from the start of the publication until a second
    after the new catalogue is served, and in the three seconds before; the seconds from the
    publication until the new catalogue is served; and the maximum growth of the worker's memory,
    in bytes.
    """

    slowest_ms: float
    slowest_before_ms: float
    seconds: float
    more_bytes: int


def swap(contender: Contender, settings: Settings, catalogue: Catalogue) -> Swap:
    """Publish the catalogue, in which each entry is new, while clients send requests.

    Raises:
        SystemExit: If the catalogue is not served afterwards.

    """
    if contender.tokens is None:
        raise TypeError("only the service has a catalogue that can be published")
    ids = [entry.diagnosis.id for entry in catalogue.entries][:_LISTS]
    clients = [
        _Client(contender.server.address, contender.tokens.busy, ids[number:] + ids[:number])
        for number in range(_CLIENTS)
    ]
    for client in clients:
        client.start()
    # The first request for each resource renders it, which should not be measured.
    time.sleep(_SECONDS_BEFORE)
    for client in clients:
        client.slowest = 0.0
    time.sleep(_SECONDS_BEFORE)
    before, resident = _reset(clients), contender.server.memory().resident
    forked = multiprocessing.get_context("fork")
    published_at = forked.Value("d", 0.0)
    publisher = forked.Process(target=_publish, args=(settings, catalogue, published_at))
    publisher.start()
    most, served_at = resident, 0.0
    deadline = time.monotonic() + _SECONDS_TO_SERVE
    while not served_at or time.monotonic() < served_at + _SECONDS_AFTER:
        if time.monotonic() > deadline:
            raise SystemExit("benchmarks: what was published is not served")
        time.sleep(0.02)
        most = max(most, contender.server.memory().resident)
        if not served_at and any(client.version == catalogue.version for client in clients):
            served_at = time.monotonic()
    publisher.join()
    slowest = _reset(clients)
    for client in clients:
        client.stop()
    return Swap(
        slowest_ms=slowest * 1000,
        slowest_before_ms=before * 1000,
        seconds=max(served_at - published_at.value, 0.0),
        more_bytes=most - resident,
    )


def changed(catalogue: Catalogue) -> Catalogue:
    """Return the same catalogue with each entry checked a day later."""
    return Catalogue(
        Entry(
            replace(entry.diagnosis, checked_on=entry.diagnosis.checked_on + timedelta(days=1)),
            entry.interventions,
        )
        for entry in catalogue.entries
    )


def _reset(clients: list[_Client]) -> float:
    """Return the seconds of the slowest response since the last call."""
    slowest = max(client.slowest for client in clients)
    for client in clients:
        client.slowest = 0.0
    return slowest


def _publish(settings: Settings, catalogue: Catalogue, published_at: object) -> None:
    # It shares a core with the clients here, which should not wait for it.
    os.nice(5)
    keep_catalogue(Container(settings=settings).catalogue_store(), catalogue)
    published_at.value = time.monotonic()  # type: ignore[attr-defined]  # of multiprocessing


class _Client(threading.Thread):
    """Requests the interventions of one diagnosis after the other, and then all diagnoses."""

    def __init__(self, address: str, token: str, ids: list[str]) -> None:
        super().__init__(daemon=True)
        self.slowest = 0.0
        self.version: str | None = None
        self._netloc = urlsplit(address).netloc
        self._headers = bearer(token)
        paths = [f"/api/v1/diagnoses/{each}/interventions" for each in ids]
        self._paths = cycle([*paths, "/api/v1/diagnoses"])
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
            self.slowest = max(self.slowest, time.perf_counter() - began)
            if path.endswith("interventions"):
                self.version = json.loads(body)["meta"]["catalogue_version"]
        connection.close()
