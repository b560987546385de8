"""The running service, held against its document by schemathesis: thousands of requests of every
kind that the document allows, and of every kind that it does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.conftest import HERE, Running, run_in

SECONDS = 60
"""A machine with nothing else to do makes some thousands of requests in it."""


@pytest.mark.timeout(10 * SECONDS)
def test_schemathesis_finds_nothing(service: Running, tmp_path: Path) -> None:
    """Also where one answer leads to the next request, by the links in the document."""
    said = run_in(
        tmp_path,
        *("schemathesis", "--config-file", HERE / "schemathesis.toml"),
        *("run", "--max-time", str(SECONDS), f"{service.url}/api/v1/openapi.json"),
        EVREF_KEY=service.key(limit=10_000_000),
    )

    assert "No issues found" in said, said
