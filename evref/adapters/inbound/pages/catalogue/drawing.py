"""Data for drawings: a diagnosis as a strip of marks, and as a map of modules and phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.domain.catalogue.intervention import Intervention, Phase

_SLOT = 7
_BASE = 20
_LENGTHS = {
    Recommendation.STRONG_FOR: 18,
    Recommendation.CONDITIONAL_FOR: 12,
    Recommendation.CONDITIONAL_AGAINST: 12,
    Recommendation.STRONG_AGAINST: 18,
    Recommendation.NOT_STATED: 6,
}
HEIGHT = 2 * _BASE


@dataclass(frozen=True, slots=True)
class Strip:
    """One mark for each intervention in list order: up for, down against, in the middle otherwise.

    A stronger recommendation has a longer mark. Paths are in SVG path syntax, in units of a
    drawing that is `width` wide and `HEIGHT` high.
    """

    width: int
    base: int
    paths: dict[str, str]


def strip(interventions: Sequence[Intervention]) -> Strip:
    """Return the strip of these interventions."""
    paths: dict[str, str] = {}
    for place, each in enumerate(interventions):
        x = place * _SLOT + _SLOT // 2 + 1
        length = _LENGTHS[each.evidence.recommendation]
        direction = each.evidence.direction
        if direction is Direction.UNCLEAR:
            mark = f"M{x} {_BASE - 3}v6"
        elif direction is Direction.FOR:
            mark = f"M{x} {_BASE - 1}v-{length}"
        else:
            mark = f"M{x} {_BASE + 1}v{length}"
        paths[direction.value] = paths.get(direction.value, "") + mark
    return Strip(max(len(interventions), 1) * _SLOT + 1, _BASE, paths)


@dataclass(frozen=True, slots=True)
class Cell:
    """The interventions of one module in one phase."""

    phase: Phase
    interventions: tuple[Intervention, ...]
    counts: dict[Direction, int]


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one module, one for each phase."""

    module: Module
    cells: tuple[Cell, ...]


def evidence_map(entry: Entry) -> tuple[Row, ...]:
    """Return the visible interventions by module and phase, with a row for each enabled module."""
    return tuple(
        Row(module, tuple(_cell(entry, module, phase) for phase in Phase))
        for module in entry.diagnosis.enabled_modules
    )


def _cell(entry: Entry, module: Module, phase: Phase) -> Cell:
    found = entry.visible_interventions(module, phase)
    return Cell(phase, found, directions(found))


def directions(interventions: Iterable[Intervention]) -> dict[Direction, int]:
    """Return the number of interventions of each direction that occurs, in enumeration order."""
    counts = Counter(each.evidence.direction for each in interventions)
    return {direction: counts[direction] for direction in Direction if counts[direction]}
