"""The tables of the page on scaling: a model of what a load needs, from the measured costs.

The cost of nginx and of looking up a key is not a part of `make bench`: it was measured once, in
November 2026.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks.cases import READ
from benchmarks.contenders import SERVERS, THREADS

_NGINX, _TLS, _EVREF_LOOKUP, _LOOKUP = 100.0, 475.0, 400.0, 60.0  # µs
_BITS = 35_200  # of a response
_USED = 0.6  # the average utilisation of a core
_CORES, _CONNECTIONS = 32, 1_000  # of one PostgreSQL server
_SHOWN = 0.01  # the least utilisation that is shown
_LOADS = (10, 1_000, 100_000)

Figures = dict[str, Any]
Rows = list[tuple[object, ...]]
"""Of a table, the heads first."""


def rows(result: Figures) -> dict[str, Rows]:
    """Return the rows of each table, the heads first, from all that was measured."""
    servers = result["throughput"]["figures"]
    storages = result["storages"]["figures"]
    cost = {
        counts: servers[f"{storage}, {SERVERS[0]}"][READ[1].name]["cpu_us"]
        for counts, storage in (
            ("SQLite", "SQLite"),
            ("PostgreSQL", "PostgreSQL"),
            ("Redis", "PostgreSQL + Redis"),
        )
    }
    admit, count = storages["PostgreSQL, µs"]["median"], storages["Redis, µs"]["median"]
    flush = storages["a flush to disk, ms"]["median"]
    writer = max(
        figures[READ[1].name]["rate"]
        for name, figures in servers.items()
        if name.startswith("SQLite")
    )
    bottlenecks = {
        "SQLite: its single writer": (writer, "all keys, one machine"),
        "PostgreSQL: the row of a key": (1000 / flush, f"one key, if a flush takes {flush:g} ms"),
        f"PostgreSQL: {_CORES} cores": (_CORES * _USED / admit * 1e6, "all keys"),
        f"PostgreSQL: {_CONNECTIONS:,} connections, {THREADS} per core": (
            _CONNECTIONS / THREADS * _USED / cost["PostgreSQL"] * 1e6,
            "all keys, without a pooler",
        ),
        "Redis: one process": (1e6 / count, "all keys of its slots"),
        f"Redis: lookups by {_CORES} cores of PostgreSQL": (
            _CORES * _USED / _LOOKUP * 1e6,
            "all keys, none cached",
        ),
    }
    needs = {
        "SQLite": (cost["SQLite"], 0.0, 0.0),
        "PostgreSQL": (cost["PostgreSQL"], admit, 0.0),
        "Redis": (cost["Redis"] + _EVREF_LOOKUP, _LOOKUP, count),
    }
    return {
        "costs": [
            ("component", "CPU time, µs", "requests/s per core"),
            *((f"evref, counts in {name}", *_per_core(used)) for name, used in cost.items()),
            ("evref, key not cached (Redis)", f"+ {_EVREF_LOOKUP:.0f}", ""),
            ("nginx, TLS on a persistent connection", *_per_core(_NGINX)),
            ("nginx, a new TLS connection", f"+ {_TLS:.0f}", ""),
            ("PostgreSQL, admit and count", *_per_core(admit)),
            ("PostgreSQL, look up a key", *_per_core(_LOOKUP)),
            ("Redis, admit and count", *_per_core(count)),
        ],
        "bottlenecks": [
            ("bottleneck", "requests/s", "applies to"),
            *((name, f"{rate:,.0f}", where) for name, (rate, where) in bottlenecks.items()),
        ],
        "loads": [
            (
                *("requests/s", "counts in", "evref", "nginx", "PostgreSQL", "Redis"),
                *("connections", "Mbit/s", "bottleneck"),
            ),
            *(
                _load(rate, counts, used, writer)
                for rate in _LOADS
                for counts, used in needs.items()
            ),
        ],
    }


def _load(
    rate: int, counts: str, used: tuple[float, float, float], writer: float
) -> tuple[object, ...]:
    """Return a row; `used` are the µs of evref, PostgreSQL and Redis."""
    evref, postgresql, redis = (_cores(rate, microseconds) for microseconds in used)
    connections = evref * THREADS if postgresql else 0
    limits = {
        "the single writer": 0 if postgresql else rate / writer,
        "PostgreSQL's processors": rate * used[1] / 1e6 / _USED / _CORES,
        "PostgreSQL's connections": connections / _CONNECTIONS,
    }
    name, share = max(limits.items(), key=lambda limit: limit[1])
    return (
        *(f"{rate:,}", counts),
        *(evref, _cores(rate, _NGINX), postgresql, redis, connections),
        f"{rate * _BITS / 1e6:,.1f}",
        f"{name}, {f'{share:.0%}' if share >= _SHOWN else f'below {_SHOWN:.0%}'}",
    )


def _cores(rate: int, used: float) -> int:
    return math.ceil(rate * used / 1e6 / _USED)


def _per_core(used: float) -> tuple[str, str]:
    return f"{used:,.0f}", f"{1e6 / used:,.0f}"
