"""Loads a server with wrk if it is installed, and otherwise with threads of this process."""

from __future__ import annotations

import http.client
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.processes import LOAD_CORE, pinned

CONNECTIONS = 16

_MANY_KEYS = Path(__file__).with_name("many_keys.lua")
_FIRST_ERROR_STATUS = 400
_COMPLETED = re.compile(r"(\d+) requests in ")
_RATE = re.compile(r"Requests/sec:\s+([0-9.]+)")
_LATENCY = r"{}%\s+([0-9.]+)(us|ms|s)"
_REFUSED = re.compile(r"Non-2xx or 3xx responses: (\d+)")
_IN_MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a measurement. `p50` and `p99` are latency percentiles in milliseconds.

    `refused` is the number of completed requests with a status of 400 or above.
    """

    completed: int
    refused: int
    rate: float
    p50: float
    p99: float


def drive(
    address: str, headers: Mapping[str, str], seconds: int, *, tokens: Path | None = None
) -> Load:
    """Send requests to the address on 16 connections for this many seconds.

    With a file of tokens, one per line, requests use them in rotation.
    """
    if shutil.which("wrk"):
        return _with_wrk(address, headers, seconds, tokens)
    return _with_threads(address, headers, seconds, tokens)


def _with_wrk(address: str, headers: Mapping[str, str], seconds: int, tokens: Path | None) -> Load:
    command = [*pinned(LOAD_CORE), "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    if tokens is None:
        command += [address]
    else:
        command += ["-s", str(_MANY_KEYS), address, "--", str(tokens)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    completed, rate = _COMPLETED.search(printed), _RATE.search(printed)
    if completed is None or rate is None:
        raise SystemExit(f"benchmarks: wrk printed something unexpected:\n{printed}")
    refused = _REFUSED.search(printed)
    return Load(
        int(completed[1]),
        int(refused[1]) if refused else 0,
        float(rate[1]),
        _milliseconds(printed, 50),
        _milliseconds(printed, 99),
    )


def _milliseconds(printed: str, percent: int) -> float:
    found = re.search(_LATENCY.format(percent), printed)
    if found is None:
        raise SystemExit(f"benchmarks: wrk printed something unexpected:\n{printed}")
    return float(found[1]) * _IN_MILLISECONDS[found[2]]


def _with_threads(
    address: str, headers: Mapping[str, str], seconds: int, tokens: Path | None
) -> Load:
    parts = urlsplit(address)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    bearers: Sequence[Mapping[str, str]] = [{}]
    if tokens is not None:
        bearers = [{"Authorization": f"Bearer {line}"} for line in tokens.read_text().split()]
    times: list[float] = []
    statuses: list[int] = []
    end = time.perf_counter() + seconds

    def send_requests() -> None:
        connection = http.client.HTTPConnection(parts.netloc)
        turns = cycle(bearers)
        while (began := time.perf_counter()) < end:
            connection.request("GET", target, headers={**headers, **next(turns)})
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
            times.append(time.perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=send_requests) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    return Load(
        len(times),
        sum(status >= _FIRST_ERROR_STATUS for status in statuses),
        len(times) / seconds,
        times[len(times) // 2] * 1000,
        times[int(len(times) * 0.99)] * 1000,
    )
