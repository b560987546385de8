"""Interventions: the entries of a module for a diagnosis and a phase, with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

from evref.domain.catalogue.diagnosis import (
    MODULE_ORDER,
    DiagnosisId,
    InterventionId,
    Module,
)
from evref.domain.catalogue.effect import Effect
from evref.domain.catalogue.evidence import Evidence, Reference
from evref.domain.declaration import Declared, Example, Items, Line, Named, Prose
from evref.domain.rules import Rules


class Phase(StrEnum):
    """The time since onset. The list is closed and its order is fixed."""

    ACUTE = "acute"
    SUBACUTE = "subacute"
    CHRONIC = "chronic"


_Element: TypeAlias = Annotated[str | None, Prose(1, 500)]


@dataclass(frozen=True, slots=True)
class FittVp(Declared):
    """A dose of exercise by the six FITT-VP elements, without others. An element is null if the
    source does not state it.
    """

    frequency: Annotated[_Element, "How often.", Example("2 to 3 sessions a week")]
    intensity: Annotated[_Element, "How hard.", Example("60 to 80 % of one repetition maximum")]
    time: Annotated[_Element, "How long each time.", Example("30 to 60 minutes")]
    type: Annotated[_Element, "What kind of exercise.", Example("Exercise in water")]
    volume: Annotated[_Element, "How much in all.", Example("150 minutes a week")]
    progression: Annotated[
        _Element, "How it increases.", Example("The load increases every two weeks")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention(Declared):
    """An intervention for a diagnosis, in one module and one phase, with its evidence."""

    id: Annotated[
        InterventionId,
        "Identifies the intervention; unique in the catalogue.",
        Example("knee-osteoarthritis-aquatic-exercise"),
    ]
    diagnosis_id: Annotated[
        DiagnosisId,
        Named(None),
        "The diagnosis that the intervention belongs to.",
        Example("knee-osteoarthritis"),
    ]
    module: Annotated[Module, "The module that the intervention belongs to."]
    phase: Annotated[Phase, "The phase that the intervention belongs to."]
    title: Annotated[
        str, Line(5, 120), "The name of the intervention.", Example("Aquatic exercise")
    ]
    summary: Annotated[
        str,
        Prose(80, 700),
        "What the sources say, in plain text.",
        Example(
            "OARSI conditionally recommends aquatic exercise for knee osteoarthritis, depending on "
            "comorbidity."
        ),
    ]
    cautions: Annotated[
        str | None,
        Prose(40, 300),
        "The most serious thing to weigh before use, as published: a regulator's warning, a "
        "contraindication, pregnancy. Null if the intervention has none, which does not mean that "
        "there is nothing to weigh.",
        Example("The label warns of bleeding, ulceration and perforation of stomach and bowel."),
    ] = None
    fitt_vp: Annotated[
        FittVp | None,
        "The dose, for the module fitt_vip (exercise); null for every other module. FITT-VP stands "
        "for frequency, intensity, time, type, volume and progression.",
    ] = None
    evidence: Annotated[Evidence, "The evidence."]
    effects: Annotated[
        tuple[Effect, ...],
        Items(most=3, may_repeat=True),
        "What the intervention changed, in numbers; empty if no figures are known, which does not "
        "mean that it has no effect.",
    ] = ()
    references: Annotated[
        tuple[Reference, ...], Items(1), "The publications that support it; at least one."
    ]

    def check_together(self, rules: Rules) -> None:
        if self.module is Module.FITT_VIP:
            rules.require(
                self.fitt_vp is not None, "fitt_vp", "is required for the module fitt_vip"
            )
        else:
            rules.require(
                self.fitt_vp is None, "fitt_vp", "must be omitted for other modules than fitt_vip"
            )
        rules.require(
            all(0 <= effect.reference < len(self.references) for effect in self.effects),
            "effects",
            "must be reported by references of the intervention",
        )


PHASE_ORDER = {phase: index for index, phase in enumerate(Phase)}


def listing_order(intervention: Intervention) -> tuple[int, int, str, str]:
    """Return the sort key of interventions: module, phase, title, id."""
    return (
        MODULE_ORDER[intervention.module],
        PHASE_ORDER[intervention.phase],
        intervention.title,
        intervention.id,
    )
