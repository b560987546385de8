"""A real service, and checks at the end that no attack has harmed it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from operator import sub

import pytest
from hypothesis import settings

from tests.server.conftest import Server, Start, Store, start, store

__all__ = ["start", "store"]

settings.register_profile(
    "hostile", settings.get_profile("ci"), derandomize=False, max_examples=5_000
)

MOST_MEMORY = 100 * 1024 * 1024
"""Bytes by which the memory of the worker may grow, caches included."""
MOST_FILES = 8
"""Files by which the worker may have more open, because a connection may be ending."""


@dataclass(frozen=True)
class Target:
    """A service with one worker of four threads, and a key for it."""

    server: Server
    token: str

    @property
    def port(self) -> int:
        return self.server.port

    @property
    def version(self) -> str:
        """Return the catalogue's version, as any client sees it."""
        answer = self.server.get("/api/v1/diagnoses", self.token)
        return str(json.loads(answer.body)["meta"]["catalogue_version"])

    def used(self) -> tuple[int, int]:
        """Return the bytes of memory and the open files of the worker."""
        (worker,) = self.server.processes()
        return worker.memory_info().rss, worker.num_fds()


@pytest.fixture(scope="module")
def target(start: Start, store: Store) -> Iterator[Target]:
    """Yield the service to attack; at the end it must be unchanged, and its log without errors."""
    server = start(store.folder, "serve", "--workers", "1", "--threads", "4")
    server.wait_until_ready()
    target = Target(server, store.key().token.text)
    workers, version, before = server.workers(), target.version, target.used()

    yield target

    assert server.workers() == workers
    assert target.version == version
    memory, files = map(sub, target.used(), before)
    assert memory < MOST_MEMORY
    assert files <= MOST_FILES
    assert "Traceback" not in server.log
    assert "ERROR" not in server.log
