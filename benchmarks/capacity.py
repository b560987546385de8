"""What a load needs, and what of it is full first: the tables of `docs/explanation/scaling.md`.

`python -m benchmarks.capacity` prints them. They are computed from the costs below, which were
measured; nothing is measured here, so the same tables come out each time.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from redis.crc import key_slot

# Measured on two cores of a busy machine, with the storage servers beside: another machine has
# other figures, but in much the same proportions. Seconds of processor time, if not said otherwise.
SERVICE = {"SQLite": 350e-6, "PostgreSQL": 700e-6, "Redis": 400e-6}
NGINX = 100e-6
NEW_TLS_CONNECTION = 475e-6
POSTGRESQL_ADMISSION = 280e-6
KEY_LOOK_UP = 400e-6
POSTGRESQL_LOOK_UP = 60e-6
REDIS_ADMISSION = 20e-6
SQLITE_ADMISSIONS_A_SECOND = 5_700
COMMITS_OF_ONE_ROW_A_SECOND = 600
"""With a disk that takes about two milliseconds to confirm a write."""
ANSWER_BYTES = 4_400
"""Of a long list of interventions, compressed, with its header fields."""

UTILISATION = 0.6
"""How busy a core may be on average, so that it is not full whenever a few requests coincide."""
THREADS = 4
HOLD_SECONDS = 0.5
"""How long a worker that counts in Redis holds a key."""
CORES_OF_A_DATABASE = 32
CONNECTIONS_OF_A_DATABASE = 1_000

SLOTS = 16_384


@dataclass(frozen=True, slots=True)
class Load:
    """Requests a second, by so many keys alike."""

    rate: float
    keys: int


LOADS = (Load(10, 20), Load(1_000, 1_000), Load(100_000, 50_000))


@dataclass(frozen=True, slots=True)
class Needs:
    """Cores, but for `connections` to PostgreSQL, `redis` processes and `megabits` a second."""

    service: int
    nginx: int
    postgresql: int
    redis: int
    connections: int
    megabits: float
    full: dict[str, float]
    """What cannot be had more of by adding machines, and the part of it that is used."""

    @property
    def first(self) -> str:
        """Of that, what is full first."""
        if not self.full:
            return "nothing"
        name, part = max(self.full.items(), key=lambda item: item[1])
        return f"{name}, {part:.0%}" if part >= 0.01 else f"{name}, below 1%"


def needs(counting: str, load: Load) -> Needs:
    """What it takes to answer that load, with the counts in SQLite, PostgreSQL or Redis."""
    service, postgresql, redis, full = SERVICE[counting] * load.rate, 0.0, 0.0, {}
    looked_up = 0.0
    if counting == "SQLite":
        full["the one writer"] = load.rate / SQLITE_ADMISSIONS_A_SECOND
    elif counting == "PostgreSQL":
        postgresql = POSTGRESQL_ADMISSION * load.rate
        full["the row of one key"] = load.rate / load.keys / COMMITS_OF_ONE_ROW_A_SECOND
    else:
        redis = REDIS_ADMISSION * load.rate
        # More workers find a key held less often, and so need still more workers.
        workers = _cores(service)
        looked_up = look_ups(load, workers)
        service += KEY_LOOK_UP * looked_up
        postgresql = POSTGRESQL_LOOK_UP * looked_up
        full["one key's node of Redis"] = load.rate / load.keys * REDIS_ADMISSION
    connections = 0 if counting == "SQLite" else _cores(service) * THREADS
    if connections:
        full["PostgreSQL's processors"] = postgresql / UTILISATION / CORES_OF_A_DATABASE
        full["PostgreSQL's connections"] = connections / CONNECTIONS_OF_A_DATABASE
    return Needs(
        service=_cores(service),
        nginx=_cores(NGINX * load.rate),
        postgresql=_cores(postgresql),
        redis=_cores(redis),
        connections=connections,
        megabits=load.rate * ANSWER_BYTES * 8 / 1e6,
        full=full,
    )


def look_ups(load: Load, workers: int) -> float:
    """Keys looked up a second: each worker asks for a key when it comes and is not held.

    Where requests of a key come to a worker at random, `a` a second, the next look-up is one
    hold and one wait for a request after the last: `a / (1 + a * hold)` a second.
    """
    a = load.rate / load.keys / workers
    return load.keys * workers * a / (1 + a * HOLD_SECONDS)


def _cores(seconds_a_second: float) -> int:
    return ceil(seconds_a_second / UTILISATION)


def largest_shard(ids: Sequence[str], demands: Sequence[float], shards: int) -> float:
    """The part of all demand that comes to the busiest of a cluster's shards.

    Slots are dealt out evenly, as `redis-cli --cluster create` does.
    """
    at: Counter[int] = Counter()
    for key_id, demand in zip(ids, demands, strict=True):
        slot = key_slot(f"evref:{{{key_id}}}:2026-11-21".encode())
        at[slot * shards // SLOTS] += demand  # type: ignore[assignment]  # a Counter of floats
    return max(at.values()) / sum(demands)


def leased(limit: int, batch: int, asked: Iterable[int]) -> int:
    """How many requests are admitted of those that come to the regions in this order.

    Each region takes `batch` requests at a time from the one count of the limit, and admits from
    what it has. Once nothing is left there, what other regions have is out of its reach.
    """
    left, held, admitted = limit, Counter[int](), 0
    for region in asked:
        if not held[region]:
            held[region] = min(batch, left)
            left -= held[region]
        if held[region]:
            held[region] -= 1
            admitted += 1
    return admitted


def costs() -> str:
    """What one request costs."""
    rows = [
        (f"evref, counts in {name}", _micro(seconds), f"{1 / seconds:,.0f}")
        for name, seconds in SERVICE.items()
    ]
    rows += [
        ("evref, a key that is not held (Redis)", f"+ {_micro(KEY_LOOK_UP)}", ""),
        ("nginx, TLS on a kept connection", _micro(NGINX), f"{1 / NGINX:,.0f}"),
        ("nginx, a new TLS connection", f"+ {_micro(NEW_TLS_CONNECTION)}", ""),
        _row("PostgreSQL, to admit and count", POSTGRESQL_ADMISSION),
        _row("PostgreSQL, to look a key up", POSTGRESQL_LOOK_UP),
        _row("Redis, to admit and count", REDIS_ADMISSION),
    ]
    return _table(("who", "processor time, µs", "requests/s a core"), rows)


def ceilings() -> str:
    """The most that each part takes which cannot be multiplied by adding machines."""
    most = CORES_OF_A_DATABASE * UTILISATION
    connected = CONNECTIONS_OF_A_DATABASE / THREADS * UTILISATION
    rows = [
        ("SQLite: its one writer", f"{SQLITE_ADMISSIONS_A_SECOND:,}", "all keys, one machine"),
        ("PostgreSQL: the row of a key", f"{COMMITS_OF_ONE_ROW_A_SECOND:,}", "one key"),
        (
            f"PostgreSQL: {CORES_OF_A_DATABASE} cores",
            f"{most / POSTGRESQL_ADMISSION:,.0f}",
            "all keys",
        ),
        (
            f"PostgreSQL: {CONNECTIONS_OF_A_DATABASE:,} connections, of {THREADS} a core",
            f"{connected / SERVICE['PostgreSQL']:,.0f}",
            "all keys, without a pooler",
        ),
        ("Redis: one process", f"{1 / REDIS_ADMISSION:,.0f}", "all keys of its slots"),
        (
            f"Redis: look-ups by {CORES_OF_A_DATABASE} cores of PostgreSQL",
            f"{most / POSTGRESQL_LOOK_UP:,.0f}",
            "all keys, where none is held",
        ),
    ]
    return _table(("part", "requests/s", "of"), rows)


def loads() -> str:
    """What each load needs."""
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
                    found.first,
                )
            )
    titles = ("requests/s", "keys", "counts in", "evref", "nginx", "PostgreSQL", "Redis")
    return _table((*titles, "connections", "Mbit/s", "full first"), rows)


def shards() -> str:
    """How evenly the counts of keys spread over the nodes of a cluster."""
    chance = random.Random(1)
    ids = [f"{chance.getrandbits(64):016x}" for _ in range(LOADS[-1].keys)]
    alike = [1.0] * len(ids)
    # The second key asks half as often as the first, the third a third as often, and so on.
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
        ("nodes", "an even part", "the busiest node, keys alike", "the same, few keys ask most"),
        rows,
    )


def regions(limit: int = 1_000, number: int = 3, batch: int = 50, milliseconds: int = 80) -> str:
    """What it costs to count one limit in several regions, so far from each other."""
    stranded = (number - 1) * (batch - 1)
    rows = [
        ("one region counts for all", f"{limit:,}", f"{limit:,}", f"{milliseconds} ms each"),
        ("each has a fixed part", f"{limit // number:,}", f"{limit:,}", "none"),
        (
            f"each takes {batch} at a time from one count",
            f"{limit - stranded:,}",
            f"{limit:,}",
            f"{milliseconds} ms, once in {batch}",
        ),
        (
            "each counts for itself, and they add up later",
            f"{limit:,}",
            f"{limit * number:,}",
            "none",
        ),
    ]
    titles = ("how", "a key gets at least", "and at most", "a request elsewhere waits")
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
        print(f"{name}\n\n{table()}\n")  # noqa: T201 - that is what it is for


if __name__ == "__main__":
    main()
