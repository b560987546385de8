"""Descriptions of changes, for the pages, the feed and the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Comparison, DiagnosisChange


class NewsKind(StrEnum):
    """The kinds of changes in display order; a change of direction must not be missed."""

    TURNED = "turned"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class News:
    """A change of a diagnosis.

    `text` says what changed in it; it is empty if the whole diagnosis was added or removed. `name`
    is its present name, or its id if the catalogue no longer contains it.
    """

    kind: NewsKind
    diagnosis_id: str
    name: str
    is_served: bool
    text: str = ""

    def __str__(self) -> str:
        name = f"{self.kind.capitalize()}: {self.name}"
        return f"{name}: {self.text}" if self.text else name


def news(comparison: Comparison, catalogue: Catalogue) -> Iterator[News]:
    """Yield the changes, changes of direction first, with the names in this catalogue."""
    diagnoses = {entry.diagnosis.id: entry.diagnosis.name for entry in catalogue.entries}

    def about(kind: NewsKind, name: str, text: str = "") -> News:
        return News(kind, name, diagnoses.get(name, name), name in diagnoses, text)

    titles = {
        intervention.id: intervention.title
        for changed in comparison.changed
        if changed.diagnosis_id in diagnoses
        for intervention in catalogue.entry(changed.diagnosis_id).visible_interventions()
    }
    for is_reversal in (True, False):
        for changed in comparison.changed:
            for change in changed.interventions_changed:
                turn = change.direction
                if turn is not None and turn.is_reversal is is_reversal:
                    title = titles.get(change.id, change.id)
                    text = f"“{title}” turned from {turn.before} to {turn.after}"
                    yield about(NewsKind.TURNED, changed.diagnosis_id, text)
    for name in comparison.added:
        yield about(NewsKind.ADDED, name)
    for name in comparison.removed:
        yield about(NewsKind.REMOVED, name)
    for changed in comparison.changed:
        if parts := [*_parts(changed, titles)]:
            yield about(NewsKind.CHANGED, changed.diagnosis_id, "; ".join(parts))


def _parts(changed: DiagnosisChange, titles: dict[str, str]) -> Iterator[str]:
    """Yield the changes in a diagnosis other than changes of direction."""
    if changed.record:
        yield "the diagnosis itself"
    for verb, ids in (
        ("added", changed.interventions_added),
        ("removed", changed.interventions_removed),
    ):
        if ids:
            yield f"{verb} " + ", ".join(f"“{titles.get(name, name)}”" for name in ids)
    for change in changed.interventions_changed:
        if change.direction is None:
            yield f"“{titles.get(change.id, change.id)}” ({', '.join(change.fields)})"


def headline(news: Sequence[News]) -> str:
    """Return the number of changes of each kind, such as “1 turned, 2 added”."""
    counts = Counter(item.kind for item in news)
    named = [f"{counts[kind]} {kind}" for kind in NewsKind if counts[kind]]
    return ", ".join(named) or "nothing that readers see"
