"""Loads servers with wrk in turn, round after round, and summarises the figures.

Absolute figures of a shared machine say little. A ratio of two figures measured one right after
the other says more, and the median of several ratios more still.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.contenders import Contender
from benchmarks.processes import LOAD_CORE, pinned

CONNECTIONS = 16

Figures = dict[str, float]
# By contender and case; the same index in two lists is the same round.
Samples = dict[str, dict[str, list[Figures]]]


def drive(contender: Contender, paths: Sequence[str], seconds: int, connections: int) -> Figures:
    """Send requests for these paths in rotation, for this many seconds.

    Returns the number of completed requests, requests per second, the percentiles and the maximum
    of latency in milliseconds, and the server's CPU time per request in microseconds. Exits if a
    request failed, or got a status of 400 or above.
    """
    before = contender.server.cpu_seconds()
    done = subprocess.run(
        [
            *(*pinned(LOAD_CORE), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s"),
            *("-H", f"Authorization: Bearer {contender.keys['busy']}"),
            *("-s", str(Path(__file__).with_name("wrk.lua")), contender.server.address),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"WRK_PATHS": " ".join(paths)},
    )
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    if figures.pop("errors") or not figures["completed"]:
        raise SystemExit(f"benchmarks: {contender.name}: not all succeeded:\n{done.stdout}")
    used = contender.server.cpu_seconds() - before
    return figures | {"cpu_us": used / figures["completed"] * 1_000_000}


def measure(
    contenders: Sequence[Contender],
    cases: Sequence[Case],
    rounds: int,
    seconds: int,
    connections: int = CONNECTIONS,
) -> Samples:
    """Measure each contender in turn, for each case, round after round."""
    samples: Samples = {
        contender.name: {case.name: [] for case in cases} for contender in contenders
    }
    for _ in range(rounds):
        for case in cases:
            for contender in contenders:
                figures = drive(contender, [case.path], seconds, connections)
                samples[contender.name][case.name].append(figures)
    return samples


def medians(samples: Sequence[Figures]) -> Figures:
    """Return the median of each figure."""
    return {
        name: round(statistics.median(sample[name] for sample in samples), 1)
        for name in ("rate", "p50_ms", "p99_ms", "p999_ms", "cpu_us")
    }


def spread(values: Iterable[float]) -> Figures:
    """Return median, lowest and highest."""
    listed = list(values)
    summary = {"median": statistics.median(listed), "low": min(listed), "high": max(listed)}
    return {name: round(value, 2) for name, value in summary.items()}


def ratio(ours: Sequence[Figures], theirs: Sequence[Figures], figure: str = "rate") -> Figures:
    """Return the ratio of a figure, round by round."""
    return spread(our[figure] / their[figure] for our, their in zip(ours, theirs, strict=True))
