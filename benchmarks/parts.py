"""The parts of a run; each starts its servers and returns figures as JSON-compatible values."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks import swapping
from benchmarks.cases import CASES
from benchmarks.catalogues import SIZES, scaled
from benchmarks.checks import as_json, require_exact, require_right
from benchmarks.contenders import (
    BOUND,
    PEERS,
    SAME_RESPONSE,
    Contender,
    bound,
    peer,
    serve,
    service,
)
from benchmarks.instructions import count_instructions
from benchmarks.measuring import CaseSamples, Pace, Sample, Spread, measure, ratio
from benchmarks.processes import THIS_PYTHON
from benchmarks.storages import bundled, settings_by_storage
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue

Figures = dict[str, Any]

MANY_KEYS = 1001
"""One of them is used for the comparison with a single key."""

_STARTS = 5
_SWAPS = 3
_BY_NAME = {case.name: case for case in CASES}
_SERVICES = ("memory", "SQLite", "SQLite + Redis", "PostgreSQL", "PostgreSQL + Redis")


class Run:
    """One run of the benchmark: its folder, pace and catalogue."""

    def __init__(self, folder: Path, pace: Pace) -> None:
        self._folder = folder
        self._pace = pace
        self._catalogue = bundled()
        self._numbers = count()

    def throughput(self) -> Figures:
        """Measure every storage and every peer, for each case, relative to the bound."""
        with ExitStack() as stack:
            storages = stack.enter_context(settings_by_storage(self._new_folder()))
            services = [
                stack.enter_context(service(name, settings, self._catalogue, self._new_folder()))
                for name, settings in storages.items()
            ]
            quota_url = storages["PostgreSQL + Redis"].quota_url or ""
            peers_redis = f"{quota_url.removesuffix('/0')}/1"
            peers = [
                stack.enter_context(peer(name, self._catalogue, peers_redis, self._new_folder()))
                for name in PEERS
            ]
            self._require(services + peers, self._catalogue)
            most, same = (
                stack.enter_context(bound(services[0], self._new_folder(), name=name))
                for name in (BOUND, SAME_RESPONSE)
            )
            contenders = [most, same, *services, *peers]
            samples = measure(contenders, CASES, self._pace)
            return {
                "servers": {
                    name: {"cases": _beside(samples[name], samples[most.name])} for name in samples
                },
                "of_same_response": {
                    ours: _ratios(samples[ours], samples[same.name]) for ours in _SERVICES
                },
                "peers": {
                    theirs: {ours: _ratios(samples[ours], samples[theirs]) for ours in _SERVICES}
                    for theirs in PEERS
                },
                "memory": {one.name: asdict(one.server.memory()) for one in contenders},
            }

    def sizes(self) -> Figures:
        """Measure catalogues of three sizes on SQLite: relative to their bound, and the start."""
        cases = [_BY_NAME[name] for name in ("list", "interventions", "304")]
        figures: Figures = {}
        with ExitStack() as stack:
            measured = []
            for size, catalogue in self._catalogues():
                self._pace.report(f"a catalogue of {size:,} diagnoses")
                folder = self._new_folder()
                settings = Settings(database_url=f"sqlite:///{folder / 'evref.sqlite'}")
                ours = stack.enter_context(service(str(size), settings, catalogue, folder))
                self._require([ours], catalogue)
                most = stack.enter_context(bound(ours, self._new_folder(), name=f"bound of {size}"))
                measured.append((ours, most))
                figures[ours.name] = {
                    "json_bytes": _json_bytes(self._catalogue)
                    * size
                    // len(self._catalogue.entries),
                    "interventions": catalogue.intervention_count,
                    "start": asdict(self._start(settings, folder)),
                }
            contenders = [one for pair in measured for one in pair]
            samples = measure(contenders, cases, self._pace)
            smallest = measured[0][0].name
            for ours, most in measured:
                figures[ours.name] |= {
                    "cases": _beside(samples[ours.name], samples[most.name]),
                    "of_bundled": _ratios(samples[ours.name], samples[smallest]),
                    "memory": asdict(ours.server.memory()),
                }
        return figures

    def _start(self, settings: Settings, folder: Path) -> Spread:
        """Return the seconds from the start of the process to the first 200."""
        seconds = []
        for number in range(_STARTS):
            self._pace.report(f"start {number + 1} of {_STARTS}")
            with serve(settings, folder) as server:
                seconds.append(server.seconds_to_first_response)
        return Spread.of(seconds)

    def sharing(self) -> Figures:
        """Compare two workers with one, and a thousand keys in rotation with a single key.

        Both workers use the same core, so the ratio shows the cost of sharing, not the gain of a
        second core.
        """
        case = _BY_NAME["interventions"]
        figures: Figures = {}
        with settings_by_storage(self._new_folder()) as storages:
            for name, settings in storages.items():
                if settings.storage is StorageKind.MEMORY:
                    continue
                folder = self._new_folder()
                with (
                    service(name, settings, self._catalogue, folder, many_keys=MANY_KEYS) as one,
                    serve(settings, folder, workers=2) as both,
                ):
                    first, *rest = one.tokens.many if one.tokens else ()
                    file = folder / "tokens"
                    file.write_text("\n".join(rest))
                    # A separate key, because each count is compared with the requests sent.
                    tokens = replace(one.tokens, busy=first) if one.tokens else None
                    two = Contender("two workers", both, one.paths, tokens)
                    many = Contender("many keys", one.server, one.paths, one.tokens)
                    samples = measure(
                        [one, two, many], [case], self._pace, token_files={many.name: file}
                    )
                figures[name] = {
                    other.name: asdict(
                        ratio(samples[other.name][case.name], samples[name][case.name], _rate)
                    )
                    for other in (two, many)
                }
        return figures

    def pythons(self, others: Sequence[Path]) -> Figures:
        """Compare other versions of Python with this one, on SQLite."""
        cases = [_BY_NAME[name] for name in ("list", "interventions", "429")]
        with ExitStack() as stack:
            services = []
            for python in (THIS_PYTHON, *others):
                folder = self._new_folder()
                settings = Settings(database_url=f"sqlite:///{folder / 'evref.sqlite'}")
                services.append(
                    stack.enter_context(
                        service(_version(python), settings, self._catalogue, folder, python=python)
                    )
                )
            self._require(services, self._catalogue)
            samples = measure(services, cases, self._pace)
            this, *rest = services
            return {
                other.name: {
                    "cases": _ratios(samples[other.name], samples[this.name]),
                    "memory": asdict(other.server.memory()),
                }
                for other in rest
            }

    def swaps(self) -> Figures:
        """Another catalogue is published while clients ask; one worker, on each database."""
        figures: Figures = {}
        for size in swapping.SIZES:
            catalogue = scaled(self._catalogue, size)
            figures[str(size)] = {}
            with settings_by_storage(self._new_folder()) as storages:
                for name in ("SQLite", "PostgreSQL"):
                    folder = self._new_folder()
                    with service(name, storages[name], catalogue, folder) as ours:
                        swaps = self._swaps(ours, storages[name], catalogue)
                    figures[str(size)][name] = {
                        "slowest_ms": asdict(Spread.of(each.slowest_ms for each in swaps)),
                        "before_ms": asdict(Spread.of(each.slowest_before_ms for each in swaps)),
                        "seconds": asdict(Spread.of(each.seconds for each in swaps)),
                        "more_bytes": max(each.more_bytes for each in swaps),
                    }
        return figures

    def _swaps(
        self, ours: Contender, settings: Settings, catalogue: Catalogue
    ) -> list[swapping.Swap]:
        # In turns, so that each swap replaces all that is served.
        turns = [swapping.changed(catalogue), catalogue]
        swaps = []
        for number in range(_SWAPS):
            self._pace.report(f"swap {number + 1} of {_SWAPS} of {len(catalogue.entries):,}")
            swaps.append(swapping.swap(ours, settings, turns[number % 2]))
        return swaps

    def instructions(self) -> Figures:
        """Count machine instructions per request, in the process of the application."""
        self._pace.report("counting instructions")
        return count_instructions(self._catalogue) or {}

    def _catalogues(self) -> Iterator[tuple[int, Catalogue]]:
        yield len(self._catalogue.entries), self._catalogue
        for size in SIZES:
            yield size, scaled(self._catalogue, size)

    def _require(self, contenders: list[Contender], catalogue: Catalogue) -> None:
        for contender in contenders:
            self._pace.report(f"checking {contender.name}")
            require_right(contender, catalogue)
            require_exact(contender)

    def _new_folder(self) -> Path:
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        return folder


def _version(python: Path) -> str:
    command = [str(python), "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _rate(sample: Sample) -> float:
    return sample.rate


def _p99(sample: Sample) -> float:
    return sample.p99


def _beside(ours: CaseSamples, most: CaseSamples) -> Figures:
    """Return medians of the figures, and of their ratios to the figures of the bound."""
    return {
        case: {
            "rate": round(statistics.median(sample.rate for sample in samples)),
            "p50_ms": round(statistics.median(sample.p50 for sample in samples), 2),
            "p99_ms": round(statistics.median(sample.p99 for sample in samples), 2),
            "cpu_us": round(statistics.median(sample.cpu for sample in samples)),
            "of_bound": asdict(ratio(samples, most[case], _rate)),
            "p99_of_bound": asdict(ratio(samples, most[case], _p99)),
        }
        for case, samples in ours.items()
    }


def _ratios(ours: CaseSamples, theirs: CaseSamples) -> Figures:
    return {case: asdict(ratio(ours[case], samples, _rate)) for case, samples in theirs.items()}


def _json_bytes(catalogue: Catalogue) -> int:
    return sum(len(json.dumps(as_json(entry), ensure_ascii=False)) for entry in catalogue.entries)
