"""`make soak`: loads a service with all kinds of requests, and checks memory and counts."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event

from evref.application.access.manage_keys import NewKey
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.bootstrap.settings import Settings
from evref.domain.access.key import Permission
from evref.testing.builders import OPERATOR
from tests.faults.load import DIAGNOSES, INSTITUTION, Host
from tests.faults.served import Served, served
from tests.institutions import institution_id
from tests.servers import postgresql_server, redis_server

CLIENTS = 6
REQUESTS_A_CONNECTION = 200

COUNTED = (200, 304, 404, 422)
"""The statuses of admitted requests."""

MEBIBYTE = 1024 * 1024
MEMORY_MAY_GROW = 1.1
MEMORY_MAY_GROW_BYTES = 8 * MEBIBYTE
"""From the second quarter of the time, when caches are filled, to the last quarter."""

FILES_MAY_GROW = 8


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request, and its statuses with a valid key below its limit."""

    path: str
    statuses: tuple[int, ...]
    method: str = "GET"
    with_key: bool = True
    headers: tuple[tuple[str, str], ...] = ()


ASTHMA = f"{DIAGNOSES}/asthma"
KINDS = (
    Kind(DIAGNOSES, (200,)),
    Kind(DIAGNOSES, (200,), headers=(("Accept-Encoding", "gzip"),)),
    Kind(DIAGNOSES, (200, 304), headers=(("If-None-Match", "*"),)),
    Kind(DIAGNOSES, (200,), method="HEAD"),
    Kind(f"{DIAGNOSES}?icd10=J45.0", (200,)),
    Kind(f"{DIAGNOSES}?q=pain&module=home", (200,)),
    Kind(f"{DIAGNOSES}?icd10=nonsense", (422,)),
    Kind(f"{DIAGNOSES}?modul=home", (422,)),
    Kind(ASTHMA, (200,)),
    # Not in every catalogue that is loaded meanwhile.
    Kind(f"{DIAGNOSES}/knee-osteoarthritis", (200, 404)),
    Kind(f"{DIAGNOSES}/knee-osteoarthritis/interventions?module=home", (200, 404)),
    Kind(f"{DIAGNOSES}/nobody", (404,)),
    Kind(f"{ASTHMA}/interventions", (200,)),
    Kind(f"{ASTHMA}/interventions", (200,), headers=(("Accept-Encoding", "gzip"),)),
    Kind(f"{ASTHMA}/interventions?module=home&phase=chronic", (200,)),
    Kind(f"{ASTHMA}/interventions?phase=never", (422,)),
    Kind(DIAGNOSES, (405,), method="POST", with_key=False),
    Kind(DIAGNOSES, (401,), with_key=False),
    Kind(DIAGNOSES, (401,), with_key=False, headers=(("Authorization", "Bearer evref_x"),)),
    Kind("/api/v1/openapi.json", (200,), with_key=False),
    Kind("/api/v1/nothing", (404,), with_key=False),
    Kind("/", (200,), with_key=False),
    Kind("/docs", (200,), with_key=False),
    Kind("/problems/invalid-parameter", (200,), with_key=False),
    Kind("/settings/sign-in", (200,), with_key=False),
    Kind("/health/live", (200,), with_key=False),
    Kind("/health/ready", (200,), with_key=False),
)


class Keys:
    """The keys of the clients, by the result of their requests."""

    def __init__(self, host: Host) -> None:
        manage = host.container.manage_keys()
        self.free = [host.new_key(limit=10_000_000) for _ in range(3)]
        self.tight = [host.new_key(limit=limit) for limit in (0, 50, 500)]
        self.forbidden = manage.create(
            OPERATOR,
            institution_id(host.container, INSTITUTION),
            name="None",
            permission=Permission.NONE,
        )
        self.revoked = host.new_key()
        manage.revoke(OPERATOR, self.revoked.key.id)
        self.all = (*self.free, *self.free, *self.tight, self.forbidden, self.revoked)

    def statuses(self, key: NewKey, kind: Kind) -> tuple[int, ...]:
        """Return the allowed statuses of this kind of request with this key."""
        if key is self.forbidden:
            return (403,)
        if key is self.revoked:
            return (401,)
        return (*kind.statuses, 429) if key in self.tight else kind.statuses


@dataclass(slots=True)
class Client:
    """A client, with its responses by key and status, and its longest wait."""

    service: Served
    keys: Keys
    random: random.Random
    got: Counter[tuple[str, int]]
    longest: float = 0.0

    def send(self, enough: Event) -> None:
        while not enough.is_set():
            connection = HTTPConnection("127.0.0.1", self.service.port, timeout=30)
            for _ in range(REQUESTS_A_CONNECTION):
                if not enough.is_set():
                    self._request(connection)
            connection.close()

    def _request(self, connection: HTTPConnection) -> None:
        kind = self.random.choice(KINDS)
        headers, key_id, allowed = dict(kind.headers), "", kind.statuses
        if kind.with_key:
            key = self.random.choice(self.keys.all)
            key_id, allowed = key.key.id, self.keys.statuses(key, kind)
            headers["Authorization"] = f"Bearer {key.token.text}"
        start = time.monotonic()
        connection.request(kind.method, kind.path, headers=headers)
        response = connection.getresponse()
        response.read()
        self.longest = max(self.longest, time.monotonic() - start)
        self.got[key_id, response.status] += 1
        assert response.status in allowed, f"{kind} with {key_id or 'no key'}: {response.status}"


def load(publish: PublishCatalogue, path: Path) -> None:
    plan = publish.plan_load(OPERATOR, path, lambda _done, _total: None)
    publish.publish(OPERATOR, plan, by="operator", allow_removals=True)


def change_all(host: Host, keys: Keys, enough: Event) -> int:
    """Change keys and the catalogue until `enough` is set; return the number of rounds."""
    manage, publish = host.container.manage_keys(), host.container.publish()
    paths = (BUNDLED_CATALOGUE / "asthma.yaml", BUNDLED_CATALOGUE)
    rounds = 0
    while not enough.wait(1):
        rounds += 1
        passing = host.new_key()
        manage.change(OPERATOR, keys.free[0].key.id, daily_limit=9_000_000 + rounds)
        manage.revoke(OPERATOR, passing.key.id)
        if rounds % 5 == 0:
            load(publish, paths[rounds // 5 % 2])
    return rounds


@dataclass(frozen=True, slots=True)
class Sample:
    """The resources of all workers together at one moment."""

    memory: int
    files: int
    threads: int


def sample(service: Served) -> Sample:
    workers = service.processes()
    return Sample(
        memory=sum(worker.memory_full_info().uss for worker in workers),
        files=sum(worker.num_fds() for worker in workers),
        threads=sum(worker.num_threads() for worker in workers),
    )


@contextmanager
def settings_on(storage: str, folder: Path) -> Iterator[Settings]:
    with ExitStack() as stack:
        if storage == "sqlite":
            yield Settings(database_url=f"sqlite:///{folder}/evref.sqlite")
            return
        server = stack.enter_context(postgresql_server())
        quota_url = None
        if storage == "redis":
            quota_url = stack.enter_context(redis_server("--appendonly", "yes")).url
        yield Settings(database_url=server.url(server.new_database()), quota_url=quota_url)


def soak(settings: Settings, folder: Path, seconds: float, seed: str) -> dict[str, object]:
    """Run the test and return its figures."""
    # Across midnight, the counts would belong to two days.
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    host = Host(settings)
    host.prepare()
    load(host.container.publish(), BUNDLED_CATALOGUE)
    keys, enough, samples = Keys(host), Event(), []
    with served(settings, folder) as (service,), ThreadPoolExecutor(CLIENTS + 1) as threads:
        workers = set(service.workers())
        clients = [
            Client(service, keys, random.Random(f"{seed}-{number}"), Counter())
            for number in range(CLIENTS)
        ]
        tasks = [threads.submit(client.send, enough) for client in clients]
        changes = threads.submit(change_all, host, keys, enough)
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end and not any(task.done() for task in tasks):
                time.sleep(seconds / 60)
                samples.append(sample(service))
        finally:
            enough.set()
        for task in tasks:
            task.result()
        assert set(service.workers()) == workers
    assert datetime.now(UTC).date() < tomorrow, "the run crossed midnight; start again"
    got = sum((client.got for client in clients), Counter[tuple[str, int]]())
    assert_counts(host, keys, got)
    longest = max(client.longest for client in clients)
    host.container.storage().close()
    statuses: Counter[int] = Counter()
    for (_, status), count in got.items():
        statuses[status] += count
    return {
        "seconds": seconds,
        "requests": got.total(),
        "statuses": dict(sorted(statuses.items())),
        "changes": changes.result(),
        "longest_wait_seconds": round(longest, 3),
        **flat(samples),
    }


def assert_counts(host: Host, keys: Keys, got: Counter[tuple[str, int]]) -> None:
    """Assert that the counts in storage match the clients' responses exactly."""
    for key in {key.key.id: key for key in keys.all}.values():
        days = host.container.manage_keys().history(OPERATOR, key.key.id)
        counted = [(day.admitted, day.refused) for day in days]
        answered = (
            sum(got[key.key.id, status] for status in COUNTED),
            got[key.key.id, 429],
        )
        assert (counted or [(0, 0)]) == [answered], f"{key.key}: {counted}, not {answered}"
        assert answered[0] <= host.container.storage().keys.get(key.key.id).daily_limit


def flat(samples: list[Sample]) -> dict[str, object]:
    """Return the resources after warm-up and at the end; assert that they have not grown."""
    quarter = len(samples) // 4
    warm, last = samples[quarter : 2 * quarter], samples[-quarter:]
    figures: dict[str, object] = {}

    def compared(name: str, of: Callable[[Sample], int], most: Callable[[float], float]) -> None:
        before, after = median(map(of, warm)), median(map(of, last))
        figures[name] = {"warm": before, "end": after}
        assert after <= most(before), f"{name}: {before} when warm, {after} at the end"

    compared(
        "memory_bytes",
        lambda sample: sample.memory,
        lambda before: before * MEMORY_MAY_GROW + MEMORY_MAY_GROW_BYTES,
    )
    compared("files", lambda sample: sample.files, lambda before: before + FILES_MAY_GROW)
    compared("threads", lambda sample: sample.threads, lambda before: before + FILES_MAY_GROW)
    return figures | {"last_sample": asdict(samples[-1])}


def main() -> None:
    parser = argparse.ArgumentParser(prog="make soak ARGS=…", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--storage", choices=["sqlite", "postgresql", "redis"], default="sqlite")
    parser.add_argument("--seed", default=f"{random.randrange(10**9)}")
    parser.add_argument("--figures", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    with (
        TemporaryDirectory() as folder,
        settings_on(options.storage, Path(folder)) as settings,
    ):
        figures = soak(settings, Path(folder), options.seconds, options.seed)
    record = json.dumps({"storage": options.storage, "seed": options.seed} | figures, indent=2)
    sys.stdout.write(f"{record}\n")
    if options.figures is not None:
        options.figures.write_text(f"{record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
