"""Interventions: the entries of a module for a diagnosis and a phase, with their evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum

from evref.domain.catalogue import bounds
from evref.domain.catalogue.diagnosis import MODULE_ORDER, Module
from evref.domain.catalogue.effect import Effect
from evref.domain.catalogue.evidence import Evidence, Reference
from evref.domain.rules import Rules


class Phase(StrEnum):
    """The closed list of phases, in the order in which they are shown."""

    ACUTE = "acute"
    SUBACUTE = "subacute"
    CHRONIC = "chronic"


@dataclass(frozen=True, slots=True)
class FittVp:
    """A dose of exercise by the FITT-VP elements; None if the source does not state one.

    Raises:
        InvalidValueError: If any element breaks a rule.

    """

    frequency: str | None
    intensity: str | None
    time: str | None
    type: str | None
    volume: str | None
    progression: str | None

    def __post_init__(self) -> None:
        rules = Rules()
        for element in fields(self):
            value = getattr(self, element.name)
            if value is not None:
                rules.text(element.name, value, bounds.FITT_VP_ELEMENT)
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Intervention:
    """One intervention, in exactly one module and one phase.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    id: str
    diagnosis_id: str
    module: Module
    phase: Phase
    title: str
    summary: str
    fitt_vp: FittVp | None
    evidence: Evidence
    references: tuple[Reference, ...]
    cautions: str | None = None
    """The most serious thing to weigh before use, as published; None if the entry has none."""
    effects: tuple[Effect, ...] = ()
    """What it changed, in numbers; empty if none is known."""

    def __post_init__(self) -> None:
        rules = Rules()
        rules.slug("id", self.id, bounds.INTERVENTION_ID)
        rules.line("title", self.title, bounds.INTERVENTION_TITLE)
        rules.text("summary", self.summary, bounds.SUMMARY)
        if self.cautions is not None:
            rules.text("cautions", self.cautions, bounds.CAUTIONS)
        rules.some("references", self.references)
        rules.require(
            len(set(self.references)) == len(self.references),
            "references",
            "must not have the same reference twice",
        )
        rules.require(
            len(self.effects) <= bounds.MOST_EFFECTS,
            "effects",
            f"must have at most {bounds.MOST_EFFECTS} effects, has {len(self.effects)}",
        )
        rules.require(
            all(0 <= effect.reference < len(self.references) for effect in self.effects),
            "effects",
            "must be reported by references of the intervention",
        )
        if self.module is Module.FITT_VIP:
            rules.require(
                self.fitt_vp is not None, "fitt_vp", "is required for the module fitt_vip"
            )
        else:
            rules.require(
                self.fitt_vp is None, "fitt_vp", "must be omitted for other modules than fitt_vip"
            )
        rules.enforce()


_DIRECTION = re.compile(
    r"\b(advi[cs]ed? against|recommend\w* against|not (recommended|advised|indicated)|avoid\w*"
    r"|do not|should not)\b",
    re.IGNORECASE,
)


def names_a_direction(title: str) -> bool:
    """Return whether a title names a direction, which belongs to the evidence.

    >>> names_a_direction("Advice against oral opioids"), names_a_direction("Oral opioids")
    (True, False)
    """
    return _DIRECTION.search(title) is not None


PHASE_ORDER = {phase: place for place, phase in enumerate(Phase)}


def listing_order(intervention: Intervention) -> tuple[int, int, str, str]:
    """Return the sort key of interventions: module, phase, title, id."""
    return (
        MODULE_ORDER[intervention.module],
        PHASE_ORDER[intervention.phase],
        intervention.title,
        intervention.id,
    )
