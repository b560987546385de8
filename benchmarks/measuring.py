"""Servers measured in turn, round after round, and what their figures come to.

Absolute figures of a shared machine say little; a ratio of two figures taken one right after the
other says more, and the median of several more still.
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
    """How often and how long each case is measured, and whom to tell."""

    rounds: int
    seconds: int
    tell: Progress


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement; `cpu`: microseconds of the server's processor time a request."""

    rate: float
    p50: float
    p99: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Of several values."""

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
"""By case; the same place in two lists is the same round."""

Samples = dict[str, CaseSamples]
"""By contender."""


def measure(
    contenders: Sequence[Contender],
    cases: Iterable[Case],
    pace: Pace,
    *,
    token_files: dict[str, Path] | None = None,
) -> Samples:
    """Each contender in turn, for each case, round after round.

    Those that have a file of tokens, by their name, are asked with all of these in turns.

    Raises:
        WrongAnswerError: when a server's count does not agree with what it was asked.

    """
    samples: Samples = {contender.name: {} for contender in contenders}
    ledgers = {
        contender.name: Ledger(contender)
        for contender in contenders
        if contender.tokens is not None and contender.name not in (token_files or {})
    }
    for number in range(pace.rounds):
        for case in cases:
            pace.tell(f"round {number + 1} of {pace.rounds}: {case.name}")
            for contender in contenders:
                if case.name in contender.paths:
                    one, completed = _one(contender, case, pace, (token_files or {}))
                    samples[contender.name].setdefault(case.name, []).append(one)
                    if contender.name in ledgers and case.status < 400:
                        ledgers[contender.name].asked(completed)
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
    # The bound answers with the bytes of a refusal, but does not refuse.
    refused = load.completed if case.status >= 400 and contender.tokens else 0
    if load.refused != refused or load.completed == 0:
        raise SystemExit(
            f"benchmarks: {contender.name}, {case.name}: {load.refused} of {load.completed} refused"
        )
    sample = Sample(load.rate, load.p50, load.p99, used / load.completed * 1_000_000)
    return sample, load.completed


def ratio(
    ours: Sequence[Sample], theirs: Sequence[Sample], figure: Callable[[Sample], float]
) -> Spread:
    """The figure of one over that of the other, round by round."""
    return Spread.of(figure(our) / figure(their) for our, their in zip(ours, theirs, strict=True))
