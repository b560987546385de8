"""The size of an effect: what an intervention changed, in numbers, as a reference reports it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

from evref.domain.catalogue import bounds
from evref.domain.catalogue.evidence import Certainty
from evref.domain.errors import Fault, InvalidValueError
from evref.domain.rules import Rules


@dataclass(frozen=True)
class Number:
    """A decimal number as its source prints it: `-0.49`, `1.0` and `0.80` keep their digits.

    Raises:
        InvalidValueError: If the text is not such a number.

    """

    text: str

    FORM = "a number of up to nine digits before and after the point, such as -0.49"
    PATTERN = r"-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?"

    def __post_init__(self) -> None:
        if re.fullmatch(self.PATTERN, self.text) is None:
            raise InvalidValueError([Fault("number", f"must be {self.FORM}")])

    @cached_property
    def value(self) -> Decimal:
        return Decimal(self.text)

    def __str__(self) -> str:
        return self.text


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
        """The value that means that the intervention changed nothing."""
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


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: Number
    high: Number

    def holds(self, value: Decimal | int) -> bool:
        """Return whether a value is between the ends, or is one of them."""
        return self.low.value <= value <= self.high.value


@dataclass(frozen=True, slots=True)
class Per1000:
    """Events in 1,000 people, without and with the intervention.

    Raises:
        InvalidValueError: If there are fewer than none or more than 1,000.

    """

    comparison: Number
    intervention: Number

    MOST = 1000

    def __post_init__(self) -> None:
        rules = Rules()
        for name, events in (
            ("comparison", self.comparison),
            ("intervention", self.intervention),
        ):
            rules.require(
                0 <= events.value <= self.MOST, name, f"must be a number from 0 to {self.MOST}"
            )
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Effect:
    """What an intervention changed, compared with something else.

    `interval` is None if the source states none; so are `per_1000`, `studies` and `participants`.
    `unit` is the unit of a difference, and None for measures that have none. `certainty` is that
    of this outcome. `reference` is the index, in the references of the intervention, of the one
    that reports the figures.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    outcome: str
    comparison: str
    measure: Measure
    estimate: Number
    interval: Interval | None
    unit: str | None
    better: Better
    per_1000: Per1000 | None
    studies: int | None
    participants: int | None
    certainty: Certainty
    reference: int

    def __post_init__(self) -> None:
        rules = Rules()
        rules.line("outcome", self.outcome, bounds.OUTCOME)
        rules.line("comparison", self.comparison, bounds.COMPARISON)
        self._check_numbers(rules)
        if self.unit is not None:
            rules.line("unit", self.unit, bounds.UNIT)
        rules.require(
            self.measure.has_unit or self.unit is None, "unit", f"must be null for a {self.measure}"
        )
        rules.require(
            not self.measure.has_unit or self.unit is not None,
            "unit",
            f"is required for a {self.measure}",
        )
        for name, count in (("studies", self.studies), ("participants", self.participants)):
            rules.require(count is None or count > 0, name, "must be a whole number from 1")
        rules.enforce()

    def _check_numbers(self, rules: Rules) -> None:
        if self.measure.is_ratio:
            rules.require(self.estimate.value > 0, "estimate", "must be above 0, as every ratio is")
            rules.require(
                self.interval is None or self.interval.low.value > 0,
                "interval",
                "must be above 0, as every ratio is",
            )
        if self.interval is not None and self.interval.low.value > self.interval.high.value:
            rules.refuse("interval", "must have the lower end first")
        elif self.interval is not None and not self.interval.holds(self.estimate.value):
            rules.refuse("estimate", "must be within the interval")
        if self.per_1000 is not None:
            fewer = self.per_1000.intervention.value - self.per_1000.comparison.value
            rules.require(
                fewer * (self.estimate.value - self.measure.no_effect) >= 0,
                "per_1000",
                f"must be on the same side as the estimate, {self.estimate}",
            )

    @property
    def favours(self) -> Favours:
        """The side that the effect favours; neither if it may be none.

        It may be none if the interval holds the value of no effect or touches it, or if the source
        states no interval.
        """
        no_effect = self.measure.no_effect
        if self.interval is None or self.interval.holds(no_effect):
            return Favours.NEITHER
        is_lower = self.estimate.value < no_effect
        return (
            Favours.INTERVENTION
            if is_lower is (self.better is Better.LOWER)
            else Favours.COMPARISON
        )
