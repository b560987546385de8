"""The running service, held against its document by schemathesis: thousands of requests of every
kind that the document allows, and of every kind that it does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from evref.bootstrap.settings import StorageKind
from tests.clients.conftest import HERE, run_in
from tests.clients.running import running

SECONDS = 60
"""For each storage; a machine with nothing else to do makes some thousands of requests in it."""


@pytest.mark.timeout(10 * SECONDS)
@pytest.mark.parametrize("storage", StorageKind)
def test_schemathesis_finds_nothing(storage: StorageKind, tmp_path: Path) -> None:
    """Also where one answer leads to the next request, by the links in the document."""
    with running(storage, tmp_path) as service:
        said = run_in(
            tmp_path,
            *("schemathesis", "--config-file", HERE / "schemathesis.toml"),
            *("run", "--max-time", str(SECONDS), f"{service.url}/api/v1/openapi.json"),
            EVREF_KEY=service.key(limit=10_000_000),
        )

    assert "No issues found" in said, said
