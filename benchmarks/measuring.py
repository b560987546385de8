"""Measures servers in turn, round after round, and summarises the figures.

Absolute figures of a shared machine say little. A ratio of two figures measured one right after
the other says more, and the median of several ratios more still.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.checks import Ledger
from benchmarks.contenders import Contender
from benchmarks.load import drive

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """The number and duration of the measurements of each case, and a progress callback."""

    rounds: int
    seconds: int
    report: Progress


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement; `cpu` is the server's CPU time per request in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, minimum and maximum of several values."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        listed = list(values)
        return cls(
            *(round(value, 3) for value in (statistics.median(listed), min(listed), max(listed)))
        )


CaseSamples = dict[str, list[Sample]]
"""By case; the same index in two lists is the same round."""

Samples = dict[str, CaseSamples]
"""By contender."""


def measure(
    contenders: Sequence[Contender],
    cases: Iterable[Case],
    pace: Pace,
    *,
    token_files: dict[str, Path] | None = None,
) -> Samples:
    """Measure each contender in turn, for each case, round after round.

    `token_files` has a file of tokens for some contenders, by name; their requests use the tokens
    in rotation.

    Raises:
        WrongResponseError: A server's count differs from the number of requests sent.

    """
    samples: Samples = {contender.name: {} for contender in contenders}
    ledgers = {
        contender.name: Ledger(contender)
        for contender in contenders
        if contender.tokens is not None and contender.name not in (token_files or {})
    }
    for number in range(pace.rounds):
        for case in cases:
            pace.report(f"round {number + 1} of {pace.rounds}: {case.name}")
            for contender in contenders:
                if case.name in contender.paths:
                    one, completed = _one(contender, case, pace, (token_files or {}))
                    samples[contender.name].setdefault(case.name, []).append(one)
                    if contender.name in ledgers and case.status < 400:
                        ledgers[contender.name].sent(completed)
    for ledger in ledgers.values():
        ledger.require_balance()
    return samples


def _one(
    contender: Contender, case: Case, pace: Pace, token_files: dict[str, Path]
) -> tuple[Sample, int]:
    headers = contender.headers(case)
    before = contender.server.cpu_seconds()
    load = drive(
        contender.address(case), headers, pace.seconds, tokens=token_files.get(contender.name)
    )
    used = contender.server.cpu_seconds() - before
    # The bound returns the bytes of an error response, but with status 200.
    refused = load.completed if case.status >= 400 and not contender.always_succeeds else 0
    if load.refused != refused or load.completed == 0:
        raise SystemExit(
            f"benchmarks: {contender.name}, {case.name}: {load.refused} of {load.completed} refused"
        )
    sample = Sample(load.rate, load.p50, load.p99, used / load.completed * 1_000_000)
    return sample, load.completed


def ratio(
    ours: Sequence[Sample], theirs: Sequence[Sample], figure: Callable[[Sample], float]
) -> Spread:
    """Return the ratio of the two figures, round by round."""
    return Spread.of(figure(our) / figure(their) for our, their in zip(ours, theirs, strict=True))
