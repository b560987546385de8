"""Services in processes of their own, as operators run them, and requests to them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

from evref.application.manage_keys import NewKey
from evref.bootstrap.settings import Settings
from tests.faults.load import DIAGNOSES, Answer, going_on
from tests.servers import free_port, wait_until

WORKERS = 2
THREADS = 2
SECONDS_TO_START = 30


class Served:
    """One `evref serve` with workers of its own, from when it is ready."""

    def __init__(self, settings: Settings, folder: Path, port: int) -> None:
        self.port = port
        others = {name: text for name, text in os.environ.items() if not name.startswith("EVREF_")}
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "evref", "serve", "--bind", f"127.0.0.1:{port}"),
                *("--workers", str(WORKERS), "--threads", str(THREADS)),
            ],
            cwd=folder,
            env={
                **others,
                "EVREF_DATABASE_URL": settings.database_url,
                "EVREF_QUOTA_URL": settings.quota_url or "",
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def get(self, key: NewKey, path: str = DIAGNOSES) -> Answer:
        start = time.monotonic()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {key.token.text}"})
            response = connection.getresponse()
            response.read()
        finally:
            connection.close()
        retry_after = response.getheader("Retry-After")
        return Answer(response.status, retry_after, time.monotonic() - start)

    def is_ready(self) -> bool:
        """Whether all workers are there, and one of them says that it is ready."""
        if len(self.workers()) < WORKERS:
            return False
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


@contextmanager
def served(settings: Settings, folder: Path, *, services: int = 1) -> Iterator[list[Served]]:
    """So many services with these settings, each on a port of its own; ended in the end."""
    with ExitStack() as stack:
        started = [Served(settings, folder, free_port()) for _ in range(services)]
        for each in started:
            stack.callback(each.process.wait, 30)
            stack.callback(each.process.terminate)
        for each in started:
            wait_until(each.is_ready, seconds=SECONDS_TO_START)
        yield started


@contextmanager
def asking_served(service: Served, key: NewKey, *, clients: int = 6) -> Iterator[list[Answer]]:
    """So many clients go on asking meanwhile; their answers, complete after.

    A request without an answer, as when a worker was killed over it, has the status 0.
    """

    def ask(_: int) -> Answer:
        try:
            return service.get(key)
        except (OSError, HTTPException):
            return Answer(0, None, 0.0)

    with going_on(ask, clients) as answers:
        yield answers
