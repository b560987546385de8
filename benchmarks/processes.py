"""Starts what is measured as processes, and reads what they use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import psutil

from tests.servers import free_port

SERVER_CORE, LOAD_CORE = 0, 1
"""What is measured has the one to itself; what asks, and databases on servers, have the other."""

_REPOSITORY = Path(__file__).parent.parent

PEERS_PYTHON = _REPOSITORY / ".venv-bench" / "bin" / "python"
"""That of an environment without the service, and with what the peers are made of."""

_SECONDS_TO_START = 120


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of one process: resident, and of these not shared with any other."""

    resident: int
    own: int


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs: its address, and its first process."""

    address: str
    process: psutil.Process
    seconds_to_answer: float

    def cpu_seconds(self) -> float:
        """What all of its processes have used since they began."""
        times = [process.cpu_times() for process in self._all()]
        return sum(used.user + used.system for used in times)

    def memory(self) -> Memory:
        """Of the process that answers; of the first one, where there are several."""
        answering = self._all()[-1].memory_full_info()
        return Memory(answering.rss, answering.uss)

    def _all(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running(
    arguments: list[str],
    folder: Path,
    *,
    python: Path = Path(sys.executable),
    health: str = "/health/live",
    environ: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A Python module as a server, until the end of the block.

    `{host}` and `{port}` in its arguments stand for where it is to listen.
    """
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [argument.format(host="127.0.0.1", port=port) for argument in arguments]
    began = time.monotonic()
    with (folder / f"{port}.log").open("wb") as log:
        process = subprocess.Popen(
            [*pinned(SERVER_CORE), str(python), "-m", *command],
            cwd=folder,
            env=os.environ | dict(environ or {}) | {"PYTHONPATH": str(_REPOSITORY)},
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(address + health, process, folder / f"{port}.log")
        taken = time.monotonic() - began
        yield Server(address, psutil.Process(process.pid), taken)
    finally:
        process.terminate()
        process.wait()


def pinned(core: int) -> list[str]:
    """What goes before a command to keep it on one core, where the system can."""
    can = (os.cpu_count() or 1) > 1 and shutil.which("taskset")
    return ["taskset", "--cpu-list", str(core)] if can else []


def pin_all_but_servers() -> None:
    """Keep this process, and what it starts and does not pin itself, off the servers' core."""
    if (os.cpu_count() or 1) > 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {LOAD_CORE})


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(address) as response:
                if response.status == HTTPStatus.OK:
                    return
        except HTTPError as error:
            error.close()
        except (URLError, ConnectionError):
            pass
        time.sleep(0.01)
    raise SystemExit(f"benchmarks: nothing answers at {address}:\n{log.read_text()}")
