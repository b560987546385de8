"""Starts what is measured, each on one pinned core, with one worker of four threads."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

_SERVER_CORE = "0"
_START_SECONDS = 20


@contextmanager
def running(arguments: list[str], folder: Path, **environ: str) -> Iterator[str]:
    """A server process until the end of the block; gives its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        bind = f"127.0.0.1:{free.getsockname()[1]}"
    repository = Path(__file__).parent.parent
    process = subprocess.Popen(
        [*pinned(_SERVER_CORE), sys.executable, "-m", *arguments, "--bind", bind],
        cwd=folder,
        env=os.environ | environ | {"PYTHONPATH": str(repository)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_answers(f"http://{bind}/health/live")
        yield f"http://{bind}"
    finally:
        process.terminate()
        process.wait()


def pinned(core: str) -> list[str]:
    """What goes before a command to keep it on one core, where the system can."""
    return ["taskset", "-c", core] if os.cpu_count() != 1 and _has_taskset() else []


def _has_taskset() -> bool:
    return subprocess.run(["which", "taskset"], capture_output=True, check=False).returncode == 0


def _wait_until_it_answers(address: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urlopen(address):
                return
        except (URLError, ConnectionError):
            time.sleep(0.05)
    raise SystemExit(f"benchmarks: nothing answers at {address}")
