"""The resources that a load requires: the tables of `docs/explanation/scaling.md`.

`python -m benchmarks.capacity` prints them. It computes them from the measured costs below and
measures nothing itself, so the output is always the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from redis.crc import key_slot

# Measured on two cores of a busy machine that also ran the storage servers. Other machines have
# other figures, but in similar proportions. Seconds of CPU time, unless stated otherwise.
SERVICE = {"SQLite": 350e-6, "PostgreSQL": 700e-6, "Redis": 400e-6}
NGINX = 100e-6
NEW_TLS_CONNECTION = 475e-6
POSTGRESQL_ADMISSION = 280e-6
KEY_LOOK_UP = 400e-6
POSTGRESQL_LOOK_UP = 60e-6
REDIS_ADMISSION = 20e-6
SQLITE_ADMISSIONS_A_SECOND = 5_700
COMMITS_OF_ONE_ROW_A_SECOND = 600
"""With a disk that takes about two milliseconds to flush a write."""
RESPONSE_BYTES = 4_400
"""A long list of interventions, compressed, with its header fields."""

UTILISATION = 0.6
"""The average utilisation of a core; the rest is headroom for requests that coincide."""
THREADS = 4
HOLD_SECONDS = 0.5
"""How long a worker that counts in Redis caches a key."""
CORES_OF_A_DATABASE = 32
CONNECTIONS_OF_A_DATABASE = 1_000

SLOTS = 16_384


@dataclass(frozen=True, slots=True)
class Load:
    """Requests per second, spread evenly over the keys."""

    rate: float
    keys: int


LOADS = (Load(10, 20), Load(1_000, 1_000), Load(100_000, 50_000))


@dataclass(frozen=True, slots=True)
class Needs:
    """Cores; also `connections` to PostgreSQL, `redis` processes and `megabits` per second."""

    service: int
    nginx: int
    postgresql: int
    redis: int
    connections: int
    megabits: float
    utilisation: dict[str, float]
    """The utilisation of each resource that more machines do not increase."""

    @property
    def bottleneck(self) -> str:
        """The resource with the highest utilisation."""
        if not self.utilisation:
            return "none"
        name, part = max(self.utilisation.items(), key=lambda item: item[1])
        return f"{name}, {part:.0%}" if part >= 0.01 else f"{name}, below 1%"


def needs(counting: str, load: Load) -> Needs:
    """Return what the load requires with the counts in SQLite, PostgreSQL or Redis."""
    service, postgresql, redis, utilisation = SERVICE[counting] * load.rate, 0.0, 0.0, {}
    looked_up = 0.0
    if counting == "SQLite":
        utilisation["the single writer"] = load.rate / SQLITE_ADMISSIONS_A_SECOND
    elif counting == "PostgreSQL":
        postgresql = POSTGRESQL_ADMISSION * load.rate
        utilisation["the row of one key"] = load.rate / load.keys / COMMITS_OF_ONE_ROW_A_SECOND
    else:
        redis = REDIS_ADMISSION * load.rate
        # With more workers, fewer requests find their key cached, which requires more workers.
        workers = _cores(service)
        looked_up = look_ups(load, workers)
        service += KEY_LOOK_UP * looked_up
        postgresql = POSTGRESQL_LOOK_UP * looked_up
        utilisation["one key's node of Redis"] = load.rate / load.keys * REDIS_ADMISSION
    connections = 0 if counting == "SQLite" else _cores(service) * THREADS
    if connections:
        utilisation["PostgreSQL's processors"] = postgresql / UTILISATION / CORES_OF_A_DATABASE
        utilisation["PostgreSQL's connections"] = connections / CONNECTIONS_OF_A_DATABASE
    return Needs(
        service=_cores(service),
        nginx=_cores(NGINX * load.rate),
        postgresql=_cores(postgresql),
        redis=_cores(redis),
        connections=connections,
        megabits=load.rate * RESPONSE_BYTES * 8 / 1e6,
        utilisation=utilisation,
    )


def look_ups(load: Load, workers: int) -> float:
    """Return the lookups per second: a worker looks up a key that it has not cached.

    If requests of a key reach a worker at random, `a` per second, the time between two lookups
    is the caching time plus the wait for the next request: `a / (1 + a * hold)` per second.
    """
    a = load.rate / load.keys / workers
    return load.keys * workers * a / (1 + a * HOLD_SECONDS)


def _cores(seconds_a_second: float) -> int:
    return ceil(seconds_a_second / UTILISATION)


def largest_shard(ids: Sequence[str], demands: Sequence[float], shards: int) -> float:
    """Return the share of all requests that reach the busiest shard of a cluster.

    Slots are distributed evenly, as by `redis-cli --cluster create`.
    """
    at: Counter[int] = Counter()
    for key_id, demand in zip(ids, demands, strict=True):
        slot = key_slot(f"evref:{{{key_id}}}:2026-11-21".encode())
        at[slot * shards // SLOTS] += demand  # type: ignore[assignment]  # a Counter of floats
    return max(at.values()) / sum(demands)


def leased(limit: int, batch: int, arrivals: Iterable[int]) -> int:
    """Return how many requests are admitted if they arrive at the regions in this order.

    Each region reserves `batch` requests at a time from the shared count and admits requests from
    its reservation. It cannot use the reservations of other regions.
    """
    left, held, admitted = limit, Counter[int](), 0
    for region in arrivals:
        if not held[region]:
            held[region] = min(batch, left)
            left -= held[region]
        if held[region]:
            held[region] -= 1
            admitted += 1
    return admitted


def costs() -> str:
    """Return the cost of one request."""
    rows = [
        (f"evref, counts in {name}", _micro(seconds), f"{1 / seconds:,.0f}")
        for name, seconds in SERVICE.items()
    ]
    rows += [
        ("evref, key not cached (Redis)", f"+ {_micro(KEY_LOOK_UP)}", ""),
        ("nginx, TLS on a persistent connection", _micro(NGINX), f"{1 / NGINX:,.0f}"),
        ("nginx, a new TLS connection", f"+ {_micro(NEW_TLS_CONNECTION)}", ""),
        _row("PostgreSQL, admit and count", POSTGRESQL_ADMISSION),
        _row("PostgreSQL, look up a key", POSTGRESQL_LOOK_UP),
        _row("Redis, admit and count", REDIS_ADMISSION),
    ]
    return _table(("component", "CPU time, µs", "requests/s per core"), rows)


def ceilings() -> str:
    """Return the limits of the resources that more machines do not increase."""
    most = CORES_OF_A_DATABASE * UTILISATION
    connected = CONNECTIONS_OF_A_DATABASE / THREADS * UTILISATION
    rows = [
        ("SQLite: its single writer", f"{SQLITE_ADMISSIONS_A_SECOND:,}", "all keys, one machine"),
        ("PostgreSQL: the row of a key", f"{COMMITS_OF_ONE_ROW_A_SECOND:,}", "one key"),
        (
            f"PostgreSQL: {CORES_OF_A_DATABASE} cores",
            f"{most / POSTGRESQL_ADMISSION:,.0f}",
            "all keys",
        ),
        (
            f"PostgreSQL: {CONNECTIONS_OF_A_DATABASE:,} connections, {THREADS} per core",
            f"{connected / SERVICE['PostgreSQL']:,.0f}",
            "all keys, without a pooler",
        ),
        ("Redis: one process", f"{1 / REDIS_ADMISSION:,.0f}", "all keys of its slots"),
        (
            f"Redis: lookups by {CORES_OF_A_DATABASE} cores of PostgreSQL",
            f"{most / POSTGRESQL_LOOK_UP:,.0f}",
            "all keys, none cached",
        ),
    ]
    return _table(("bottleneck", "requests/s", "applies to"), rows)


def loads() -> str:
    """Return the requirements of each load."""
    rows = []
    for load in LOADS:
        for counting in SERVICE:
            found = needs(counting, load)
            rows.append(
                (
                    f"{load.rate:,}",
                    f"{load.keys:,}",
                    counting,
                    *(f"{cores:,}" for cores in (found.service, found.nginx, found.postgresql)),
                    f"{found.redis}",
                    f"{found.connections:,}",
                    f"{found.megabits:,.1f}",
                    found.bottleneck,
                )
            )
    titles = ("requests/s", "keys", "counts in", "evref", "nginx", "PostgreSQL", "Redis")
    return _table((*titles, "connections", "Mbit/s", "bottleneck"), rows)


def shards() -> str:
    """Return how evenly the keys are distributed over the nodes of a cluster."""
    chance = random.Random(1)
    ids = [f"{chance.getrandbits(64):016x}" for _ in range(LOADS[-1].keys)]
    alike = [1.0] * len(ids)
    # The second key sends half as many requests as the first, the third a third, and so on.
    unlike = [1 / place for place in range(1, len(ids) + 1)]
    rows = [
        (
            f"{number}",
            f"{1 / number:.1%}",
            f"{largest_shard(ids, alike, number):.1%}",
            f"{largest_shard(ids, unlike, number):.1%}",
        )
        for number in (2, 4, 8, 16)
    ]
    return _table(
        ("nodes", "even share", "busiest node, uniform keys", "busiest node, skewed keys"),
        rows,
    )


def regions(limit: int = 1_000, number: int = 3, batch: int = 50, milliseconds: int = 80) -> str:
    """Return the cost of counting one limit in several regions with this latency between them."""
    stranded = (number - 1) * (batch - 1)
    rows = [
        ("one region counts for all", f"{limit:,}", f"{limit:,}", f"{milliseconds} ms each"),
        ("each has a fixed share", f"{limit // number:,}", f"{limit:,}", "none"),
        (
            f"each reserves {batch} at a time from a shared count",
            f"{limit - stranded:,}",
            f"{limit:,}",
            f"{milliseconds} ms, for one in {batch}",
        ),
        (
            "each counts alone, and they synchronise later",
            f"{limit:,}",
            f"{limit * number:,}",
            "none",
        ),
    ]
    titles = ("strategy", "minimum for a key", "maximum for a key", "added latency elsewhere")
    return _table(titles, rows)


TABLES: dict[str, Callable[[], str]] = {
    table.__name__: table for table in (costs, ceilings, loads, shards, regions)
}


def _row(who: str, seconds: float) -> tuple[str, str, str]:
    return who, _micro(seconds), f"{1 / seconds:,.0f}"


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print all tables."""
    for name, table in TABLES.items():
        print(f"{name}\n\n{table()}\n")  # noqa: T201 - a command line program


if __name__ == "__main__":
    main()
