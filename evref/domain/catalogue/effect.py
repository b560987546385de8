"""The size of an effect: what an intervention changed, in numbers, as a reference reports it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
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


class Unit(Enum):
    """Kinds of units, which decide how a difference is worded."""

    EVENTS = "events, which happen less or more often"
    SCORE = "points and grades, of which fewer can be better or worse"
    QUANTITY = "physical quantities, which are lower or higher"
    COUNT = "things that are counted, fewer or more of them"


_UNITS = {
    Unit.SCORE: "points, grades, grade, SD, % of the scale, % of the maximum, units of the scale",
    Unit.COUNT: (
        "attacks, courses, days, days a week, days a month, days a year, drinks a day, "
        "drinks a week, episodes, episodes a day, episodes in 24 hours, episodes a week, "
        "episodes a month, episodes a year, events, events an hour, exacerbations, "
        "exacerbations a year, exacerbations per person, falls, falls a year, headaches, "
        "headaches per month, headaches a month, joints, lesions, nights, nights a week, "
        "people, seizures a month, steps, steps a day, stools a day, stools a week, teeth, visits"
    ),
    Unit.QUANTITY: (
        "%, percent, per cent, percentage points, % of body weight, per cent of body weight, "
        "degrees, degrees Celsius, °, °C, mm, cm, m, km, metres, kilometres, km/h, m/s, "
        "seconds, s, minutes, min, minutes a day, minutes a week, hours, h, hours a day, "
        "hours a week, weeks, months, years, ms, mm Hg, mmHg, kPa, cm H2O, µg, mcg, mg, g, kg, "
        "kg/m2, kg/m², g/cm2, g/cm², mg/day, g/day, mL, ml, L, l, dL, mL/min, mL/min/1.73 m2, "
        "mL per year, mL/min/1.73 m2 per year, mL/kg/min, L/min, L/s, mg/dL, g/dL, g/L, mg/L, "
        "ng/mL, µg/L, mmol/mol, mmol/L, µmol/L, nmol/L, mg/g, mEq/L, IU/L, U/L, units, "
        "units a day, beats a minute, beats per minute, breaths a minute, N, Nm, W, watts, "
        "MET, METs, kcal, kcal/day, kJ, dB, dioptres"
    ),
}
_KIND_OF_UNIT = {unit: kind for kind, units in _UNITS.items() for unit in units.split(", ")}
_SCORES = ("points of ", "points (")
_UNIT_FORM = (
    "must be a unit that the service can put into words, such as points of 100, points (KOOS), "
    f"{', '.join(list(_KIND_OF_UNIT))}"
)


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
    better: Annotated[
        Better,
        "Which values of the outcome are good for the person: lower for pain, higher for mobility. "
        "Which side the effect favours is in favours.",
    ]
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
        "The reference that reports the effect: its index in references, from 0.",
        Example(0),
    ]

    def check_together(self, rules: Rules) -> None:
        needs_unit = self.measure.has_unit
        if not needs_unit:
            rules.require(self.unit is None, "unit", f"must be null for a {self.measure}")
        elif self.unit is None:
            rules.refuse("unit", f"is required for a {self.measure}")
        else:
            rules.require(_kind_of(self.unit) is not None, "unit", _UNIT_FORM)
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
    def unit_kind(self) -> Unit:
        """The kind of the unit; a score if stored data has a unit that is not known."""
        if self.measure.is_ratio or self.measure is Measure.RISK_DIFFERENCE:
            return Unit.EVENTS
        return _kind_of(self.unit or "SD") or Unit.SCORE

    @property
    def favours(self) -> Favours:
        """The side that the effect favours; neither if there may be no effect.

        There may be none if the interval contains or touches the value of no effect, or if the
        source states no interval.
        """
        no_effect = self.measure.no_effect
        if self.interval is None or self.interval.holds(no_effect):
            return Favours.NEITHER
        return Favours.INTERVENTION if self.is_good(self.estimate) else Favours.COMPARISON

    def is_good(self, value: Decimal) -> bool:
        """Return whether a value, other than no effect, is on the side that is good."""
        return (value < self.measure.no_effect) is (self.better is Better.LOWER)


def _kind_of(unit: str) -> Unit | None:
    return Unit.SCORE if unit.startswith(_SCORES) else _KIND_OF_UNIT.get(unit)
