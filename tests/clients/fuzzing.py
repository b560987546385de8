"""The running service, compared with its document by schemathesis.

It makes thousands of requests of every kind that the document allows, and of every kind that it
does not. `make clients FUZZING_SECONDS=1200` makes some 20,000, and `FUZZING_SEED=1` makes others.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.clients.conftest import HERE, Running, run_in

SECONDS = int(os.environ.get("FUZZING_SECONDS", "60"))
"""Enough for some thousands of requests on a machine with nothing else to do."""
SEED = os.environ.get("FUZZING_SEED", "0")


@pytest.mark.timeout(10 * SECONDS)
def test_schemathesis_finds_nothing(service: Running, tmp_path: Path) -> None:
    """It also follows the links of the document from one response to the next request."""
    output = run_in(
        tmp_path,
        *("schemathesis", "--config-file", HERE / "schemathesis.toml"),
        *("run", "--max-time", str(SECONDS), "--seed", SEED, f"{service.url}/api/v1/openapi.json"),
        EVREF_KEY=service.key(limit=10_000_000),
    )

    assert "No issues found" in output, output
