"""A service that is called from outside, and the tools that `make clients` installs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from evref.bootstrap.settings import StorageKind
from tests.clients.running import REPOSITORY, Running, running

HERE = Path(__file__).parent
TOOLS = REPOSITORY / ".venv-clients" / "bin"
NODE_TOOLS = HERE / "node_modules" / ".bin"

Run = Callable[..., str]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One service for all tests, with the bundled catalogue."""
    with running(StorageKind.SQL, tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def document(service: Running, tmp_path: Path) -> Path:
    """The OpenAPI document as the service gives it out, unedited."""
    file = tmp_path / "openapi.json"
    file.write_bytes(service.document())
    return file


@pytest.fixture
def run(service: Running, tmp_path: Path) -> Run:
    """Runs a program in the test's folder, with keys; what it printed, where it succeeds."""
    return partial(
        run_in,
        tmp_path,
        EVREF_URL=service.url,
        EVREF_KEY=service.key(),
        EVREF_USED_UP_KEY=service.key(limit=0),
    )


def run_in(folder: Path, program: str, *arguments: str | Path, **environment: str) -> str:
    """What a program printed; the installed tools are found, by it as well, before others."""
    searched = os.pathsep.join([str(TOOLS), str(NODE_TOOLS), os.environ["PATH"]])
    found = shutil.which(program, path=searched)
    assert found is not None, f"{program} is not on this machine; .ci/run installs it"
    done = subprocess.run(
        [found, *arguments],
        cwd=folder,
        # Generated packages are in the folder, and none of this project's is in the way.
        env={**os.environ, "PYTHONPATH": str(folder), "PATH": searched, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
