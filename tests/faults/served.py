"""Services in separate processes, as operators run them, and requests to them."""

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

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.settings import Settings
from tests.faults.load import DIAGNOSES, Response, repeating
from tests.servers import PATIENCE, free_port, wait_until

WORKERS = 2
THREADS = 2


class Served:
    """An `evref serve` with its workers."""

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

    def get(self, key: NewKey, path: str = DIAGNOSES) -> Response:
        sent_at = time.monotonic()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {key.token.text}"})
            response = connection.getresponse()
            response.read()
        finally:
            connection.close()
        retry_after = response.getheader("Retry-After")
        return Response(response.status, retry_after, sent_at)

    def is_ready(self) -> bool:
        """Return whether all workers are running and one of them reports that it is ready."""
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
    """Run services with these settings, each on its own port, until the end of the block."""
    with ExitStack() as stack:
        started = [Served(settings, folder, free_port()) for _ in range(services)]
        for each in started:
            stack.callback(each.process.wait, PATIENCE)
            stack.callback(each.process.terminate)
        for each in started:
            wait_until(each.is_ready)
        yield started


@contextmanager
def served_under_load(
    service: Served, key: NewKey, *, clients: int = 6
) -> Iterator[list[Response]]:
    """Send requests continuously; the list of responses is complete at the end.

    A request without a response, for example because its worker was killed, has the status 0.
    """

    def send(_: int) -> Response:
        sent_at = time.monotonic()
        try:
            return service.get(key)
        except (OSError, HTTPException):
            return Response(0, None, sent_at)

    with repeating(send, clients) as responses:
        yield responses
