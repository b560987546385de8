"""The performance goals, and whether a run meets them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.catalogues import SIZES
from benchmarks.contenders import PEERS

_OPERATORS: dict[str, Callable[[float, float], bool]] = {"≥": operator.ge, "≤": operator.le}
_READ = ("list", "interventions")
_MEGABYTE = 1_000_000

SLOWEST_DURING_A_SWAP_MS = {1_500: 250, 10_500: 1_000}
"""By the number of diagnoses."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A measured figure and its goal; `how` is ≥ or ≤."""

    name: str
    how: str
    wanted: float
    measured: float

    @property
    def is_met(self) -> bool:
        return _OPERATORS[self.how](self.measured, self.wanted)


def goals(result: dict[str, Any]) -> Iterator[Goal]:
    """Yield every goal with the figure of a full run."""
    servers = result["throughput"]["servers"]

    def of_bound(server: str, case: str, figure: str = "of_bound") -> float:
        return float(servers[server]["cases"][case][figure]["median"])

    for case in _READ:
        yield Goal(f"SQLite, {case}, relative to the bound", "≥", 0.5, of_bound("SQLite", case))
    for server in ("PostgreSQL", "SQLite + Redis", "PostgreSQL + Redis"):
        for case in _READ:
            yield Goal(f"{server}, {case}, relative to the bound", "≥", 0.3, of_bound(server, case))
    yield Goal(
        "SQLite, 304, relative to the bound with the full response",
        "≥",
        0.55,
        of_bound("SQLite", "304"),
    )
    for peer in PEERS:
        ratios = result["throughput"]["peers"][peer]["SQLite"]
        for case in _READ:
            yield Goal(f"SQLite, {case}, relative to {peer}", "≥", 10, ratios[case]["median"])
    for case in _READ:
        p99 = of_bound("SQLite", case, "p99_of_bound")
        yield Goal(f"SQLite, {case}, p99 relative to the bound", "≤", 2, p99)
    sizes = result["sizes"]
    bundled, largest = next(iter(sizes.values())), sizes[str(SIZES[-1])]
    for case in ("interventions", "304"):
        slower = 1 / largest["of_bundled"][case]["median"]
        yield Goal(f"{SIZES[-1]:,} diagnoses, {case}, slowdown", "≤", 1.2, slower)
    yield from _of_swaps(
        result["swaps"], largest["memory"]["resident"] - bundled["memory"]["resident"]
    )
    resident = result["throughput"]["memory"]["SQLite"]["resident"] / _MEGABYTE
    yield Goal("worker memory, MB", "≤", 90, resident)
    more = largest["memory"]["resident"] - bundled["memory"]["resident"]
    times = more / (largest["json_bytes"] - bundled["json_bytes"])
    yield Goal(f"{SIZES[-1]:,} diagnoses, additional memory relative to the JSON", "≤", 2, times)
    start = bundled["start"]["median"]
    yield Goal("from start to the first 200, seconds", "≤", 1.5, start)


def _of_swaps(swaps: dict[str, Any], catalogue_bytes: int) -> Iterator[Goal]:
    """Goals for publishing; `catalogue_bytes` is the memory that the largest catalogue takes."""
    for size, wanted in SLOWEST_DURING_A_SWAP_MS.items():
        for storage, figures in swaps[str(size)].items():
            name = f"{storage}, slowest answer while {size:,} diagnoses are published, ms"
            yield Goal(name, "≤", wanted, figures["slowest_ms"]["median"])
    for storage, figures in swaps[str(SIZES[-1])].items():
        more = figures["more_bytes"] / catalogue_bytes
        yield Goal(f"{storage}, memory added meanwhile, of the catalogue's", "≤", 1, more)
