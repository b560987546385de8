"""The disclaimer, and the name and the meaning of each value of the enumerations."""

from __future__ import annotations

from enum import StrEnum

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.effect import Better, Favours, Measure
from evref.domain.catalogue.evidence import (
    CardGroup,
    Certainty,
    Direction,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.matching import Relation
from evref.domain.catalogue.record_code import Edition, Qualifier

DISCLAIMER = (
    "Educational reference data. It gives no clinical decisions and no treatment prescriptions; "
    "the physician, health professional or user always makes the final decision."
)
"""Included in every response and on every page that shows the data."""

BUNDLED_LICENCE = "https://creativecommons.org/licenses/by/4.0/"
"""The licence of the bundled catalogue: CC BY 4.0."""

NAMES: dict[StrEnum, str] = {
    Module.FITT_VIP: "Exercise (FITT-VP)",
    Module.PHARMACONEUTRAL: "Medicines",
    Module.HOME: "Home and self-care",
    Module.CONCEPT: "Therapies and techniques",
    Module.PREVENTION: "Prevention",
    Module.DIAGNOSTIC: "Diagnosis and assessment",
    Phase.ACUTE: "Acute",
    Phase.SUBACUTE: "Subacute",
    Phase.CHRONIC: "Chronic",
    Certainty.HIGH: "High",
    Certainty.MODERATE: "Moderate",
    Certainty.LOW: "Low",
    Certainty.VERY_LOW: "Very low",
    Certainty.NOT_GRADED: "No GRADE certainty stated",
    Recommendation.STRONG_FOR: "Strong for",
    Recommendation.CONDITIONAL_FOR: "Conditional for",
    Recommendation.CONDITIONAL_AGAINST: "Conditional against",
    Recommendation.STRONG_AGAINST: "Strong against",
    Recommendation.NOT_STATED: "Strength not stated",
    Direction.FOR: "Evidence for",
    Direction.AGAINST: "Evidence against",
    Direction.UNCLEAR: "Unclear",
    ReferenceKind.GUIDELINE: "Guideline",
    ReferenceKind.SYSTEMATIC_REVIEW: "Systematic review",
    ReferenceKind.RANDOMISED_TRIAL: "Randomised trial",
    ReferenceKind.COHORT_STUDY: "Cohort study",
    ReferenceKind.DIAGNOSTIC_ACCURACY_STUDY: "Diagnostic accuracy study",
    ReferenceKind.CONSENSUS_STATEMENT: "Consensus statement",
    ReferenceKind.SAFETY_NOTICE: "Safety notice",
    CardGroup.RECOMMENDED: "Recommended",
    CardGroup.TO_CONSIDER: "To consider",
    CardGroup.SUPPORTED: "Supported, strength not stated",
    CardGroup.ADVISED_AGAINST: "Advised against",
    CardGroup.NO_BENEFIT_FOUND: "No benefit found, or harm",
    CardGroup.UNCLEAR: "Unclear, or sources disagree",
}
"""The names that people read, in every interface."""

TIMES: dict[Phase, str] = {
    Phase.ACUTE: "first weeks",
    Phase.SUBACUTE: "weeks to months",
    Phase.CHRONIC: "later, or long-term",
}
"""The time of each phase, to be named with it."""

MEANINGS: dict[StrEnum, str] = {
    Module.FITT_VIP: "exercise with a dose, described by the FITT-VP elements",
    Module.PHARMACONEUTRAL: "pharmacology by drug class and generic name, without brands and doses",
    Module.HOME: "home programmes and self-management",
    Module.CONCEPT: "named therapeutic concepts, approaches and techniques",
    Module.PREVENTION: "primary and secondary prevention",
    Module.DIAGNOSTIC: "diagnostic criteria, tests, imaging advice and outcome measures",
    Phase.ACUTE: "from onset to a few weeks",
    Phase.SUBACUTE: "from a few weeks to about three to six months",
    Phase.CHRONIC: "later than subacute, and long-term disease",
    Certainty.HIGH: "the true effect is very probably close to the estimate",
    Certainty.MODERATE: "the true effect is probably close to the estimate",
    Certainty.LOW: "the true effect may differ substantially from the estimate",
    Certainty.VERY_LOW: "the true effect probably differs substantially from the estimate",
    Certainty.NOT_GRADED: "the source states no GRADE certainty",
    Recommendation.STRONG_FOR: "the source strongly recommends it",
    Recommendation.CONDITIONAL_FOR: "the source recommends it conditionally or weakly",
    Recommendation.CONDITIONAL_AGAINST: "the source recommends against it conditionally or weakly",
    Recommendation.STRONG_AGAINST: "the source strongly recommends against it",
    Recommendation.NOT_STATED: "no recommendation was seen, or guidelines contradict each other",
    Direction.FOR: "the sources favour using it",
    Direction.AGAINST: "the sources advise against it, or find harm or no important benefit",
    Direction.UNCLEAR: "the sources disagree, or the evidence is insufficient",
    Measure.RISK_RATIO: "the risk with the intervention, divided by the risk without it",
    Measure.ODDS_RATIO: "the odds with the intervention, divided by the odds without it",
    Measure.HAZARD_RATIO: "the rate at which events occur over time, divided by that without it",
    Measure.RATE_RATIO: "the number of events in a time, divided by that without it",
    Measure.RISK_DIFFERENCE: "the risk with the intervention, less the risk without it",
    Measure.MEAN_DIFFERENCE: "the mean with the intervention, less the mean without it",
    Measure.STANDARDISED_MEAN_DIFFERENCE: "the difference of means, in standard deviations",
    Better.LOWER: "lower values are good for the person",
    Better.HIGHER: "higher values are good for the person",
    Favours.INTERVENTION: "the effect favours the intervention",
    Favours.COMPARISON: "the effect favours what it was compared with",
    Favours.NEITHER: "there may be no effect",
    ReferenceKind.GUIDELINE: "recommendations for practice, based on reviewed research",
    ReferenceKind.SYSTEMATIC_REVIEW: "all research on a question, assessed by a stated method",
    ReferenceKind.RANDOMISED_TRIAL: "people assigned at random to the options that are compared",
    ReferenceKind.COHORT_STUDY: "people followed over time, not assigned",
    ReferenceKind.DIAGNOSTIC_ACCURACY_STUDY: "how often a test agrees with a reference standard",
    ReferenceKind.CONSENSUS_STATEMENT: "what experts agree on where there is little research",
    ReferenceKind.SAFETY_NOTICE: "a warning of a medicines regulator: a notice, or the label",
    CardGroup.RECOMMENDED: "a source recommends it strongly",
    CardGroup.TO_CONSIDER: "a source recommends it conditionally or weakly",
    CardGroup.SUPPORTED: "the sources favour it, and no strength of recommendation was seen",
    CardGroup.ADVISED_AGAINST: "a source recommends against it",
    CardGroup.NO_BENEFIT_FOUND: "the sources find harm or no important benefit; no strength stated",
    CardGroup.UNCLEAR: "the sources disagree, or the evidence is insufficient",
    Edition.WHO: "ICD-10 of WHO",
    Edition.CM: "ICD-10-CM, the modification of the United States",
    Edition.GM: "ICD-10-GM, the German modification",
    Relation.CERTAIN: "this code means this condition",
    Relation.APPROXIMATE: "this code also means other conditions",
    Qualifier.SUSPECTED: "recorded as suspected",
    Qualifier.STATE_AFTER: "recorded as state after",
    Qualifier.EXCLUDED: "recorded as excluded",
}

ENUMERATIONS = tuple(dict.fromkeys(map(type, MEANINGS)))


def description(enumeration: type[StrEnum]) -> str:
    """Return what the values of an enumeration say: its docstring, on one line."""
    return " ".join((enumeration.__doc__ or enumeration.__name__).split())
