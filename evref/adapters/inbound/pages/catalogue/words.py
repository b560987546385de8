"""The wording of the enumerations on these pages."""

from __future__ import annotations

from datetime import date

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import Intervention, Phase

MODULES = {
    Module.FITT_VIP: "Exercise with a dose",
    Module.PHARMACONEUTRAL: "Medicines",
    Module.HOME: "Home and self-care",
    Module.CONCEPT: "Concepts and techniques",
    Module.PREVENTION: "Prevention",
    Module.DIAGNOSTIC: "Diagnostics",
}
MODULES_IN_SHORT = {
    Module.FITT_VIP: "Exercise",
    Module.PHARMACONEUTRAL: "Medicines",
    Module.HOME: "Home",
    Module.CONCEPT: "Concepts",
    Module.PREVENTION: "Prevention",
    Module.DIAGNOSTIC: "Diagnostics",
}
PHASES = {Phase.ACUTE: "Acute", Phase.SUBACUTE: "Subacute", Phase.CHRONIC: "Chronic"}
DIRECTIONS = {
    Direction.FOR: "Evidence for",
    Direction.AGAINST: "Evidence against",
    Direction.UNCLEAR: "Unclear",
}
SIGNS = {Direction.FOR: "+", Direction.AGAINST: "\N{MINUS SIGN}", Direction.UNCLEAR: "?"}
STRENGTHS = {
    Recommendation.STRONG_FOR: "strong",
    Recommendation.CONDITIONAL_FOR: "conditional",
    Recommendation.CONDITIONAL_AGAINST: "conditional",
    Recommendation.STRONG_AGAINST: "strong",
    Recommendation.NOT_STATED: "unstated",
}
"""Also the CSS classes for the weight of a mark."""
CERTAINTIES = {
    Certainty.HIGH: "High",
    Certainty.MODERATE: "Moderate",
    Certainty.LOW: "Low",
    Certainty.VERY_LOW: "Very low",
    Certainty.NOT_GRADED: "Not graded",
}
KINDS = {
    ReferenceKind.GUIDELINE: "Guideline",
    ReferenceKind.SYSTEMATIC_REVIEW: "Systematic review",
    ReferenceKind.RANDOMISED_TRIAL: "Randomised trial",
    ReferenceKind.COHORT_STUDY: "Cohort study",
    ReferenceKind.DIAGNOSTIC_ACCURACY_STUDY: "Diagnostic accuracy study",
    ReferenceKind.CONSENSUS_STATEMENT: "Consensus statement",
    ReferenceKind.SAFETY_NOTICE: "Safety notice",
}


def verdict(intervention: Intervention) -> str:
    """Return what the sources say about the intervention, and the strength of the recommendation.

    Such as “Guidelines advise against it (strong)”.
    """
    evidence = intervention.evidence
    if evidence.recommendation is Recommendation.NOT_STATED:
        return DIRECTIONS[evidence.direction] + _no_recommendation(evidence)
    is_guideline = any(
        reference.kind is ReferenceKind.GUIDELINE for reference in intervention.references
    )
    who = "Guidelines" if is_guideline else "Sources"
    said = "recommend it" if evidence.direction is Direction.FOR else "advise against it"
    return f"{who} {said} ({STRENGTHS[evidence.recommendation]})"


def _no_recommendation(evidence: Evidence) -> str:
    if evidence.direction is Direction.UNCLEAR:
        return ": the sources differ, or find too little"
    return ", no recommendation stated"


def day(of: date) -> str:
    """Return the date in the form 2 November 2026."""
    return f"{of.day} {of:%B %Y}"


def days(all_of: list[date]) -> str:
    """Return one day, or the first and the last day."""
    first, last = min(all_of), max(all_of)
    return day(first) if first == last else f"{day(first)} to {day(last)}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return the number with its noun, such as 1 intervention or 1,200 diagnoses."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
