"""One service for all examples, started as a newcomer starts it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.conftest import environment, starting

SHOWN_ADDRESS = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Demo:
    folder: Path
    address: str
    said: str

    def run(self, command: list[str], code: str) -> str:
        """What the code prints, written into a file that the last argument names.

        The address that pages show stands for that of this service.
        """
        done = self._run(command, code)
        assert done.returncode == 0, done.stderr
        return done.stdout.replace(self.address, SHOWN_ADDRESS)

    def refused(self, command: list[str], code: str) -> str:
        """Return the standard error of code that must fail."""
        done = self._run(command, code)
        assert done.returncode == 1, done.stdout
        return done.stderr

    def _run(self, command: list[str], code: str) -> subprocess.CompletedProcess[str]:
        file = self.folder / command[-1]
        file.write_text(code.replace(SHOWN_ADDRESS, self.address), encoding="utf-8")
        key = re.search(r"evref_\w+", self.said)
        assert key
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**environment(), "EVREF_KEY": key[0]},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo")
    with starting() as start:
        server = start(folder, "demo")
        server.wait_until_ready()
        yield Demo(folder, server.url, server.log)
