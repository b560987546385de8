"""The performance goals, and whether a run meets them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.catalogues import SIZES

_OPERATORS: dict[str, Callable[[float, float], bool]] = {"≥": operator.ge, "≤": operator.le}
_READ = ("list", "interventions")
_OF_BOUND = {
    "memory": 0.8,
    "SQLite": 0.6,
    "PostgreSQL": 0.5,
    "SQLite + Redis": 0.5,
    "PostgreSQL + Redis": 0.5,
}
_OF_NATURAL_PEERS: dict[str, float] = {
    "list": 12,
    "interventions": 12,
    "304": 5,
    "401": 5,
    "429": 5,
}
_OF_PEERS: dict[str, dict[str, float]] = {
    "FastAPI": _OF_NATURAL_PEERS,
    "APIFlask": _OF_NATURAL_PEERS,
    "Datasette": {"list": 6, "interventions": 6},
}
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

    for server, wanted in _OF_BOUND.items():
        for case in _READ:
            yield Goal(
                f"{server}, {case}, relative to the bound", "≥", wanted, of_bound(server, case)
            )
    yield Goal(
        "SQLite, 304, relative to the bound with the full response",
        "≥",
        0.65,
        of_bound("SQLite", "304"),
    )
    yield Goal("SQLite, 429, relative to the bound", "≥", 0.6, of_bound("SQLite", "429"))
    for peer, cases in _OF_PEERS.items():
        ratios = result["throughput"]["peers"][peer]["SQLite"]
        for case, wanted in cases.items():
            yield Goal(f"SQLite, {case}, relative to {peer}", "≥", wanted, ratios[case]["median"])
    for case in _READ:
        p99 = of_bound("SQLite", case, "p99_of_bound")
        yield Goal(f"SQLite, {case}, p99 relative to the bound", "≤", 1.5, p99)
    for storage, ways in result["sharing"].items():
        many = ways["many keys"]["median"]
        yield Goal(f"{storage}, 1,000 keys in rotation, relative to one", "≥", 0.9, many)
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
    yield Goal(
        f"{SIZES[-1]:,} diagnoses, worker memory, MB",
        "≤",
        150,
        largest["memory"]["resident"] / _MEGABYTE,
    )
    start = bundled["start"]["median"]
    yield Goal("from start to the first 200, seconds", "≤", 1.5, start)
    start = largest["start"]["median"]
    yield Goal(f"{SIZES[-1]:,} diagnoses, from start to the first 200, seconds", "≤", 2, start)


def _of_swaps(swaps: dict[str, Any], catalogue_bytes: int) -> Iterator[Goal]:
    """Goals for publishing; `catalogue_bytes` is the memory that the largest catalogue takes."""
    for size, wanted in SLOWEST_DURING_A_SWAP_MS.items():
        for storage, figures in swaps[str(size)].items():
            name = f"{storage}, slowest answer while {size:,} diagnoses are published, ms"
            yield Goal(name, "≤", wanted, figures["slowest_ms"]["median"])
    for storage, figures in swaps[str(SIZES[-1])].items():
        more = figures["more_bytes"] / catalogue_bytes
        yield Goal(f"{storage}, memory added meanwhile, of the catalogue's", "≤", 1, more)
