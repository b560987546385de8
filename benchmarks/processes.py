"""Starts the measured servers as processes, and reads their CPU time and memory."""

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
"""The measured server has one core; the load generator and the storage servers use the other."""

_REPOSITORY = Path(__file__).parent.parent

PEERS_PYTHON = _REPOSITORY / ".venv-bench" / "bin" / "python"
"""From an environment with the dependencies of the peers, but without the service."""

THIS_PYTHON = Path(sys.executable)

_SECONDS_TO_START = 120


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one process in bytes: resident, and the part not shared with other processes."""

    resident: int
    own: int


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its address and its main process."""

    address: str
    process: psutil.Process
    seconds_to_first_response: float

    def cpu_seconds(self) -> float:
        """Return the CPU time of all its processes since they started."""
        times = [process.cpu_times() for process in self._all()]
        return sum(used.user + used.system for used in times)

    def memory(self) -> Memory:
        """Return the memory of the last process, which is a worker."""
        answering = self._all()[-1].memory_full_info()
        return Memory(answering.rss, answering.uss)

    def _all(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running(
    arguments: list[str],
    folder: Path,
    *,
    python: Path = THIS_PYTHON,
    health: str = "/health/live",
    environ: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a Python module as a server until the end of the block.

    `{host}` and `{port}` in its arguments are replaced by its address.
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
    """Return the command prefix that pins a process to one core, if the system supports it."""
    can = (os.cpu_count() or 1) > 1 and shutil.which("taskset")
    return ["taskset", "--cpu-list", str(core)] if can else []


def pin_all_but_servers() -> None:
    """Keep this process, and unpinned processes that it starts, off the servers' core."""
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
    raise SystemExit(f"benchmarks: no response from {address}:\n{log.read_text()}")
