"""Services in separate processes, as operators run them, and requests to them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path

from evref.application.access.manage_keys import NewKey
from evref.bootstrap.settings import Settings
from tests.faults.load import DIAGNOSES, Response, repeating
from tests.server.conftest import Server, environment
from tests.servers import free_port

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
