"""The size of an effect: what an intervention changed, in numbers, as a reference reports it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, NamedTuple

from evref.domain.catalogue.evidence import Certainty
from evref.domain.declaration import Declared, Example, Line, Range
from evref.domain.rules import Rules


class Measure(StrEnum):
    """How an effect is measured."""

    RISK_RATIO = "risk_ratio"
    ODDS_RATIO = "odds_ratio"
    HAZARD_RATIO = "hazard_ratio"
    RATE_RATIO = "rate_ratio"
    RISK_DIFFERENCE = "risk_difference"
    MEAN_DIFFERENCE = "mean_difference"
    STANDARDISED_MEAN_DIFFERENCE = "standardised_mean_difference"

    @property
    def is_ratio(self) -> bool:
        return self.value.endswith("_ratio")

    @property
    def has_unit(self) -> bool:
        return self in {Measure.RISK_DIFFERENCE, Measure.MEAN_DIFFERENCE}

    @property
    def no_effect(self) -> int:
        """The value of no effect."""
        return 1 if self.is_ratio else 0


class Better(StrEnum):
    """Which values are good for the person."""

    LOWER = "lower"
    HIGHER = "higher"


class Favours(StrEnum):
    """Which side an effect favours."""

    INTERVENTION = "intervention"
    COMPARISON = "comparison"
    NEITHER = "neither"


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    low: Annotated[Decimal, "The lower end.", Example(-0.59)]
    high: Annotated[Decimal, "The higher end.", Example(-0.39)]

    def holds(self, value: Decimal | int) -> bool:
        """Return whether a value is within the interval, ends included."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Per1000(Declared):
    """Events in 1,000 people."""

    comparison: Annotated[Decimal, Range(0, 1000), "Without the intervention.", Example(162)]
    intervention: Annotated[Decimal, Range(0, 1000), "With the intervention.", Example(114)]


@dataclass(frozen=True, slots=True)
class Effect(Declared):
    """What an intervention changed, in numbers, as one of its references reports it."""

    outcome: Annotated[
        str, Line(3, 80), "What was measured.", Example("Pain at the end of treatment")
    ]
    comparison: Annotated[
        str, Line(3, 80), "What the intervention was compared with.", Example("no exercise")
    ]
    measure: Annotated[Measure, "How the effect is measured."]
    estimate: Annotated[Decimal, "The estimate that the reference reports.", Example(-0.49)]
    interval: Annotated[
        Interval | None, "The 95 % confidence interval; null if the reference states none."
    ]
    unit: Annotated[
        str | None,
        Line(1, 80),
        "The unit of a mean difference or risk difference; null for other measures.",
        Example("points of 100"),
    ]
    better: Annotated[Better, "Which values are good for the person."]
    per_1000: Annotated[
        Per1000 | None,
        "Events in 1,000 people with and without the intervention; null if the reference does "
        "not state both.",
    ]
    studies: Annotated[
        int | None, Range(1), "The number of studies; null if not stated.", Example(44)
    ]
    participants: Annotated[
        int | None, Range(1), "The number of people; null if not stated.", Example(3537)
    ]
    certainty: Annotated[
        Certainty, "GRADE certainty of this outcome; not_graded if the source states none."
    ]
    reference: Annotated[
        int,
        Range(0),
        "The index of the reference that reports the effect, among those of the intervention.",
        Example(0),
    ]

    def check_together(self, rules: Rules) -> None:
        needs_unit = self.measure.has_unit
        rules.require(needs_unit or self.unit is None, "unit", f"must be null for a {self.measure}")
        rules.require(
            not needs_unit or self.unit is not None, "unit", f"is required for a {self.measure}"
        )
        if self.measure.is_ratio:
            rules.require(self.estimate > 0, "estimate", "must be above 0, as every ratio is")
            rules.require(
                self.interval is None or self.interval.low > 0,
                "interval",
                "must be above 0, as every ratio is",
            )
        if self.interval is not None and self.interval.low > self.interval.high:
            rules.refuse("interval", "must have the lower end first")
        elif self.interval is not None and not self.interval.holds(self.estimate):
            rules.refuse("estimate", "must be within the interval")
        if self.per_1000 is not None:
            fewer = self.per_1000.intervention - self.per_1000.comparison
            rules.require(
                fewer * (self.estimate - self.measure.no_effect) >= 0,
                "per_1000",
                f"must be on the same side as the estimate, {self.estimate}",
            )

    @property
    def favours(self) -> Favours:
        """The side that the effect favours; neither if there may be no effect.

        There may be none if the interval contains or touches the value of no effect, or if the
        source states no interval.
        """
        no_effect = self.measure.no_effect
        if self.interval is None or self.interval.holds(no_effect):
            return Favours.NEITHER
        is_lower = self.estimate < no_effect
        return (
            Favours.INTERVENTION
            if is_lower is (self.better is Better.LOWER)
            else Favours.COMPARISON
        )
