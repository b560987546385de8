"""A publication of a catalogue: its time, and its changes for readers of the earlier catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from evref.domain.catalogue.content import Record
from evref.domain.catalogue.diagnosis import DiagnosisId, InterventionId
from evref.domain.catalogue.evidence import Direction
from evref.domain.declaration import Declared, Example, Named
from evref.domain.rules import counted

_EXAMPLE = "knee-osteoarthritis-aquatic-exercise"


class Turn(NamedTuple):
    """A change of direction."""

    before: Annotated[Direction, "The earlier direction.", Named("from")]
    after: Annotated[Direction, "The new direction.", Named("to")]

    @property
    def is_reversal(self) -> bool:
        """Whether it is from for to against, or from against to for."""
        return Direction.UNCLEAR not in {self.before, self.after}


@dataclass(frozen=True, slots=True)
class InterventionChange(Declared):
    """A changed intervention."""

    id: Annotated[InterventionId, "The id of the intervention.", Example(_EXAMPLE)]
    fields: Annotated[
        tuple[str, ...], "The changed fields.", Example(["evidence.recommendation", "summary"])
    ]
    direction: Annotated[Turn | None, "Null if the direction did not change."]


@dataclass(frozen=True, slots=True)
class DiagnosisChange(Declared):
    """A changed diagnosis. Interventions whose direction changed come first."""

    diagnosis_id: Annotated[
        DiagnosisId, Named("id"), "The id of the diagnosis.", Example("knee-osteoarthritis")
    ]
    record: Annotated[
        bool,
        "Whether the diagnosis itself changed, not only its interventions.",
        Example(value=False),
    ]
    interventions_added: Annotated[
        tuple[InterventionId, ...],
        Named("added"),
        "The ids of its added interventions.",
        Example([_EXAMPLE]),
    ]
    interventions_removed: Annotated[
        tuple[InterventionId, ...],
        Named("removed"),
        "The ids of its removed interventions.",
        Example([]),
    ]
    interventions_changed: Annotated[
        tuple[InterventionChange, ...], Named("changed"), "Its changed interventions."
    ]


@dataclass(frozen=True, slots=True)
class Comparison(Declared):
    """Diagnoses by id: added, removed and changed, with changes of direction first.

    `removed_with_them` are the ids of the visible interventions of removed diagnoses.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[DiagnosisChange, ...]
    removed_with_them: tuple[str, ...] = ()

    @property
    def removals(self) -> tuple[str, ...]:
        """The ids of removed diagnoses, then those of interventions removed from others."""
        return (*self.removed, *self.removed_from_others)

    @property
    def removals_in_words(self) -> str:
        """What is removed, such as “2 diagnoses and 1 intervention”; empty if nothing is."""
        return " and ".join(
            counted(len(names), *nouns)
            for names, nouns in (
                (self.removed, ("diagnosis", "diagnoses")),
                (self.removed_from_others, ("intervention",)),
            )
            if names
        )

    @property
    def removed_from_others(self) -> tuple[str, ...]:
        """The ids of interventions that were removed from diagnoses that stayed."""
        return tuple(name for change in self.changed for name in change.interventions_removed)


def change_between(before: Record, after: Record) -> DiagnosisChange:
    """Return what changed in a diagnosis: in its record, with its visible interventions."""
    earlier, later = _interventions(before), _interventions(after)
    changes = (
        _change_of(name, earlier[name], later[name])
        for name in sorted(earlier.keys() & later.keys())
        if earlier[name] != later[name]
    )
    return DiagnosisChange(
        diagnosis_id=after["id"],
        record=_rest(before) != _rest(after),
        interventions_added=tuple(sorted(later.keys() - earlier.keys())),
        interventions_removed=tuple(sorted(earlier.keys() - later.keys())),
        interventions_changed=tuple(sorted(changes, key=_urgency)),
    )


def most_urgent_first(changed: DiagnosisChange) -> tuple[int, str]:
    return min(map(_urgency, changed.interventions_changed), default=2), changed.diagnosis_id


def _urgency(change: InterventionChange) -> int:
    if change.direction is None:
        return 2
    return 0 if change.direction.is_reversal else 1


def _change_of(name: str, before: Record, after: Record) -> InterventionChange:
    old, new = before["evidence"]["direction"], after["evidence"]["direction"]
    turn = None if old == new else Turn(Direction(old), Direction(new))
    return InterventionChange(name, tuple(_fields(before, after)), turn)


def _fields(before: Record, after: Record, within: str = "") -> Iterator[str]:
    for name in dict.fromkeys((*after, *before)):
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _fields(old, new, f"{name}.")
        elif old != new:
            yield within + name


def _interventions(record: Record) -> dict[str, Record]:
    return {intervention["id"]: intervention for intervention in record["interventions"]}


def _rest(record: Record) -> Record:
    return {name: value for name, value in record.items() if name != "interventions"}


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication of a catalogue: version, time, publisher, and changes.

    `added`, `changed` and `removed` count diagnoses relative to the previous catalogue.
    `published_by` is the operating system's name of the user, or None if unknown. `is_bundled` is
    whether it is the catalogue of the package, published as such. `comparison` is with the
    previous catalogue; None if that was no longer stored when comparisons were introduced.
    """

    version: str
    published_at: datetime
    published_by: str | None
    is_bundled: bool
    added: int
    changed: int
    removed: int
    comparison: Comparison | None
