"""A service that clients call over HTTP, and the tools that `make clients` installs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.server.conftest import REPOSITORY, Server, Store, start, starting, store
from tests.servers import free_port

__all__ = ["start", "store"]

HERE = Path(__file__).parent
TOOLS = REPOSITORY / ".venv-clients" / "bin"
NODE_TOOLS = HERE / "node_modules" / ".bin"

Run = Callable[..., str]


@dataclass(frozen=True)
class Running:
    """A service with two workers and the bundled catalogue, which everybody may read."""

    server: Server
    store: Store

    @property
    def url(self) -> str:
        return self.server.url

    def key(self, *, limit: int = 1000) -> str:
        return self.store.key(limit).token.text

    def document(self) -> bytes:
        return self.server.get("/api/v1/openapi.json").body


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store, port = Store(tmp_path_factory.mktemp("service")), free_port()
    settings = {"base_url": f"http://127.0.0.1:{port}", "catalogue_pages": "public"}
    with closing(store), starting() as start:
        server = start(store.folder, "serve", "--workers", "2", port=port, **settings)
        server.wait_until_ready()
        yield Running(server, store)


@pytest.fixture
def document(service: Running, tmp_path: Path) -> Path:
    """The OpenAPI document as the service gives it out, unedited."""
    file = tmp_path / "openapi.json"
    file.write_bytes(service.document())
    return file


@pytest.fixture
def run(service: Running, tmp_path: Path) -> Run:
    """Run a program in the test's folder, with keys; return its output."""
    return partial(
        run_in,
        tmp_path,
        EVREF_URL=service.url,
        EVREF_KEY=service.key(),
        EVREF_USED_UP_KEY=service.key(limit=0),
    )


def run_in(folder: Path, program: str, *arguments: str | Path, **environment: str) -> str:
    """Return the output of a program, which finds the installed tools before others."""
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
