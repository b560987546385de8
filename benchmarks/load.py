"""Drives a server with wrk where it is installed, else with threads of this process."""

from __future__ import annotations

import http.client
import re
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from benchmarks.servers import pinned

CONNECTIONS = 16
_LOAD_CORE = "1"
_WRK_RATE = re.compile(r"Requests/sec:\s+([0-9.]+)")
_WRK_P99 = re.compile(r"99%\s+([0-9.]+)(us|ms|s)")
_IN_MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, slots=True)
class Measured:
    """Requests a second, and the time in milliseconds within which 99 of 100 were answered."""

    rate: float
    p99: float


def drive(address: str, headers: dict[str, str], seconds: int) -> Measured:
    """Ask the address over and over on 16 connections for so many seconds."""
    if shutil.which("wrk"):
        return _with_wrk(address, headers, seconds)
    return _with_threads(address, headers, seconds)


def _with_wrk(address: str, headers: dict[str, str], seconds: int) -> Measured:
    command = [*pinned(_LOAD_CORE), "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency"]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    printed = subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout
    rate, p99 = _WRK_RATE.search(printed), _WRK_P99.search(printed)
    if rate is None or p99 is None:
        raise SystemExit(f"benchmarks: wrk printed something unexpected:\n{printed}")
    return Measured(float(rate[1]), float(p99[1]) * _IN_MILLISECONDS[p99[2]])


def _with_threads(address: str, headers: dict[str, str], seconds: int) -> Measured:
    parts = urlsplit(address)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    times: list[float] = []
    end = time.perf_counter() + seconds

    def ask() -> None:
        connection = http.client.HTTPConnection(parts.netloc)
        while (began := time.perf_counter()) < end:
            connection.request("GET", target, headers=headers)
            connection.getresponse().read()
            times.append(time.perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    return Measured(len(times) / seconds, times[int(len(times) * 0.99)] * 1000)
