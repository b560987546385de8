"""The parts of a run; each starts its servers and returns its figures."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.cases import LIST, READ
from benchmarks.contenders import PEERS, SERVERS, Contender, bound, peer, service
from benchmarks.instructions import count_instructions
from benchmarks.measuring import CONNECTIONS, drive, measure, medians, ratio, spread
from benchmarks.storages import bundled, prepare, publish, scaled
from benchmarks.worst import measure_worst
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref.domain.catalogue.catalogue import Catalogue
from tests.adapters.files.test_snomed_map import HEADER, row

Figures = dict[str, Any]

_LARGE = 1_500  # diagnoses
_WORKERS_AND_THREADS = ((1, 16), (2, 8), (4, 4), (8, 2), (8, 1))
_ROWS, _LOADS, _FLUSHES = 130_000, 3, 200
_STARTS, _SWAPS, _SWAP_CLIENTS, _SWAP_SECONDS = 5, 3, 2, 20


class Run:
    """One run: its folder, its storages, and the number and seconds of its rounds."""

    def __init__(
        self, folder: Path, storages: Mapping[str, Settings], rounds: int, seconds: int
    ) -> None:
        self._folder = folder
        self._storages = storages
        self._pace = rounds, seconds
        self._catalogue = bundled()
        self._kept = {name: settings for name, settings in storages.items() if name != "memory"}
        for settings in self._kept.values():
            prepare(Container(settings=settings), self._catalogue)

    def throughput(self) -> Figures:
        """Measure every storage on both servers, and the peers, on one core."""
        folder = self._folder
        with ExitStack() as stack:
            contenders = [
                stack.enter_context(
                    service(f"{storage}, {server}", settings, folder, server=server)
                )
                for storage, settings in self._storages.items()
                for server in SERVERS
            ]
            first, redis = contenders[0], self._storages["PostgreSQL + Redis"].quota_url or ""
            contenders += [
                stack.enter_context(peer(name, first, f"{redis[:-1]}1", folder)) for name in PEERS
            ]
            for contender in contenders:
                contender.require_right(first)
            everyone = [
                stack.enter_context(bound(f"bound, {server}", first, folder, server=server))
                for server in SERVERS
            ] + contenders
            samples = measure(everyone, READ, *self._pace)
            figures: Figures = {
                contender.name: {
                    "memory_mb": round(contender.server.memory_mb()),
                    **{case.name: medians(samples[contender.name][case.name]) for case in READ},
                }
                for contender in everyone
            }
        for name, of in figures.items():
            others = {"bound": f"bound, {SERVERS[0]}"}
            if name.endswith(SERVERS[1]):
                others["gunicorn"] = name.replace(SERVERS[1], SERVERS[0])
            elif name.startswith("SQLite"):
                others |= dict(zip(PEERS, PEERS, strict=True))
            for case in (case.name for case in READ):
                ours = samples[name][case]
                for other, theirs in others.items():
                    of[f"{case}_of_{other}"] = ratio(ours, samples[theirs][case])
                most = samples[others["bound"]][case]
                of[f"{case}_p99_of_bound"] = ratio(ours, most, "p99_ms")
        return figures

    def workers(self) -> Figures:
        """Measure several numbers of workers and threads, on all cores, which wrk also uses."""
        figures: Figures = {}
        for storage, settings in self._kept.items():
            with ExitStack() as stack:
                contenders = [
                    stack.enter_context(
                        service(f"{size[0]} x {size[1]}", settings, self._folder, size=size)
                    )
                    for size in _WORKERS_AND_THREADS
                ]
                for connections in (16, 64):
                    samples = measure(contenders, READ[1:], *self._pace, connections)
                    for name, cases in samples.items():
                        figures[f"{storage}, {name}, {connections}"] = medians(cases[READ[1].name])
        return figures

    def storages(self) -> Figures:
        """Measure the processor time of the servers that count, and the disk that they write to."""
        rounds, seconds = self._pace
        figures: Figures = {}
        for program, storage in (("postgres", "PostgreSQL"), ("redis-server", "Redis")):
            settings = next(kept for name, kept in self._kept.items() if name.endswith(storage))
            with service(storage, settings, self._folder) as contender:
                used = []
                for _ in range(rounds):
                    before = _processor_seconds(program)
                    done = drive(contender, [READ[1].path], seconds, CONNECTIONS)["completed"]
                    used.append((_processor_seconds(program) - before) / done * 1_000_000)
            figures[f"{storage}, µs"] = spread(used)
        return figures | {"a flush to disk, ms": spread(_flushes(self._folder / "flushed"))}

    def large(self) -> Figures:
        """Start the service with a large catalogue on SQLite, and publish another one."""
        settings = Settings(database_url=f"sqlite:///{self._folder / 'large.sqlite'}")
        prepare(Container(settings=settings), scaled(self._catalogue, _LARGE))
        starts = []
        for _ in range(_STARTS):
            with service("large", settings, self._folder) as contender:
                starts.append(contender.server.seconds_to_first_response)
        with service("large", settings, self._folder) as contender:
            swaps = [
                _swap(contender, settings, scaled(self._catalogue, _LARGE, days=number + 1))
                for number in range(_SWAPS)
            ]
        return {"start, s": spread(starts)} | {
            name: spread(swap[name] for swap in swaps) for name in swaps[0]
        }

    def snomed(self) -> Figures:
        """Load a made-up map of SNOMED CT, as large as the International edition's, and one row."""
        settings = Settings(database_url=f"sqlite:///{self._folder / 'snomed.sqlite'}")
        prepare(Container(settings=settings), self._catalogue)
        one, whole = (
            [_load_map(settings, self._folder, rows) for _ in range(_LOADS)] for rows in (1, _ROWS)
        )
        return {
            "loading, s": spread(seconds for seconds, _ in whole),
            "memory, MB": spread(memory for _, memory in whole),
            "memory for one row, MB": spread(memory for _, memory in one),
        }

    def instructions(self) -> Figures:
        """Count machine instructions per request, in the process of the application."""
        return dict(count_instructions(self._folder, self._storages, self._catalogue))

    def worst(self) -> Figures:
        """Measure the time of a core that the worst request of each way in takes."""
        rounds, _ = self._pace
        measured = measure_worst(self._catalogue, rounds)
        return {name: spread(times) for name, times in measured.items()}


def _processor_seconds(program: str) -> float:
    """Return the time of the processor that the servers of this name have used."""
    servers = [
        child for child in psutil.Process().children(recursive=True) if child.name() == program
    ]
    return sum(sum(child.cpu_times()[:2]) for child in servers)


def _flushes(file: Path) -> list[float]:
    """Return the milliseconds that each of some flushes of a page to disk takes."""
    page, times = os.urandom(8192), []
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT)
    for _ in range(_FLUSHES):
        os.pwrite(descriptor, page, 0)
        began = time.monotonic()
        os.fdatasync(descriptor)
        times.append((time.monotonic() - began) * 1000)
    os.close(descriptor)
    return times


def _load_map(settings: Settings, folder: Path, rows: int) -> tuple[float, float]:
    """Return the seconds and the most megabytes that loading a map with so many rows takes."""
    file = folder / "map.txt"
    made = (
        row(f"{100_000 + number}", f"{chr(65 + number % 26)}{number % 100:02}.{number % 10}")
        for number in range(rows)
    )
    file.write_text("\n".join([HEADER, *made]))
    command = [sys.executable, "-m", "evref", "codes", "load", str(file), "--system", "snomed-ct"]
    began, most = time.monotonic(), 0.0
    started = subprocess.Popen(
        command,
        env=os.environ | {"EVREF_DATABASE_URL": settings.database_url},
        stdout=subprocess.DEVNULL,
    )
    # Not `ru_maxrss`, which a process inherits from the one that starts it.
    process = psutil.Process(started.pid)
    while started.poll() is None:
        with suppress(psutil.NoSuchProcess):
            most = max(most, process.memory_info().rss / 1_000_000)
        time.sleep(0.01)
    if started.returncode:
        raise SystemExit("benchmarks: the map was not loaded")
    return time.monotonic() - began, most


def _swap(contender: Contender, settings: Settings, catalogue: Catalogue) -> dict[str, float]:
    """Publish the catalogue, in which each entry is new, while clients request 200 of them."""
    ids = [entry.diagnosis.id for entry in catalogue.entries][:200]
    paths = [LIST, *(f"/api/v1/diagnoses/{diagnosis_id}/interventions" for diagnosis_id in ids)]
    # The first request for each resource renders it, which should not be measured.
    drive(contender, paths, _SWAP_SECONDS, _SWAP_CLIENTS)
    before = drive(contender, paths, _SWAP_SECONDS, _SWAP_CLIENTS)
    memory, served_at = [contender.server.memory_mb()], 0.0
    with ThreadPoolExecutor(1) as thread:
        load = thread.submit(drive, contender, paths, _SWAP_SECONDS, _SWAP_CLIENTS)
        publish(Container(settings=settings), catalogue)
        published_at = time.monotonic()
        while not load.done():
            memory.append(contender.server.memory_mb())
            meta = contender.get(paths[1]).json()["meta"]
            if not served_at and meta["catalogue_version"] == catalogue.version:
                served_at = time.monotonic()
            time.sleep(0.02)
    if not served_at:
        raise SystemExit("benchmarks: what was published is not served")
    return {
        "memory, MB": memory[0],
        "most memory during the publication, MB": max(memory),
        "slowest response before it, ms": before["max_ms"],
        "slowest response during the publication, ms": load.result()["max_ms"],
        "until the publication is served, s": served_at - published_at,
    }
