"""Starts the measured servers as processes, and reads their CPU time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import requests

from tests.servers import free_port

SERVER_CORE, LOAD_CORE = 0, 1
"""The measured server has one core; the load generator and the storage servers use the other."""

ROOT = Path(__file__).parent.parent

PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
"""From an environment with the dependencies of the peers, but without the service."""


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

    def memory_mb(self) -> float:
        """Return the memory of all its processes; what they share counts once."""
        return sum(process.memory_full_info().pss for process in self._all()) / 1_000_000

    def _all(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running(
    command: Sequence[str],
    folder: Path,
    *,
    python: Path = Path(sys.executable),
    health: str = "/health/ready",
    environ: Mapping[str, str] | None = None,
    core: int | None = SERVER_CORE,
) -> Iterator[Server]:
    """Run a Python module as a server until the end of the block.

    `{port}` in its arguments is replaced by a free port. Without a core it uses all of them.
    """
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    arguments = [argument.replace("{port}", str(port)) for argument in command]
    began = time.monotonic()
    with (folder / f"{port}.log").open("wb") as log:
        process = subprocess.Popen(
            [*pinned(core), str(python), "-m", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | dict(environ or {}),
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(address + health, process, folder / f"{port}.log")
        yield Server(address, psutil.Process(process.pid), time.monotonic() - began)
    finally:
        process.terminate()
        process.wait()


def pinned(core: int | None) -> list[str]:
    """Return the command prefix that limits a process to one core, or allows all."""
    listed = f"0-{(os.cpu_count() or 1) - 1}" if core is None else f"{core}"
    return ["taskset", "--cpu-list", listed]


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(requests.ConnectionError):
            if requests.get(address, timeout=120).ok:
                return
        time.sleep(0.01)
    raise SystemExit(f"benchmarks: no response from {address}:\n{log.read_text()}")
