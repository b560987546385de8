"""The size of an effect: which side it favours, and which figures are rejected."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.effect import (
    Better,
    Effect,
    Favours,
    Interval,
    Measure,
    Per1000,
)
from evref.domain.catalogue.evidence import Recommendation
from evref.domain.errors import InvalidValueError
from evref.testing.builders import an_effect, an_entry, an_intervention


@st.composite
def effects(draw: st.DrawFn) -> Effect:
    """Return effects of every measure, many of which touch or contain the value of no effect."""
    measure = draw(st.sampled_from(Measure))
    least = 1 if measure.is_ratio else -300
    low, estimate, high = (
        Decimal(str(Decimal(number).scaleb(-2)))
        for number in sorted(draw(st.lists(st.integers(least, 300), min_size=3, max_size=3)))
    )
    return replace(
        an_effect(),
        measure=measure,
        unit="points" if measure.has_unit else None,
        estimate=estimate,
        interval=draw(st.sampled_from([None, Interval(low, high)])),
        better=draw(st.sampled_from(Better)),
    )


@given(effects())
def test_the_side_is_favoured_where_the_estimate_is_good_unless_there_may_be_no_effect(
    effect: Effect,
) -> None:
    no_effect = 1 if effect.measure.is_ratio else 0
    interval = effect.interval
    may_be_none = interval is None or interval.low <= no_effect <= interval.high
    is_good = (effect.estimate < no_effect) == (effect.better is Better.LOWER)

    assert effect.favours is (
        Favours.NEITHER if may_be_none else Favours.INTERVENTION if is_good else Favours.COMPARISON
    )


RATIO = an_effect("0.70", ("0.5", "0.9"), Measure.RISK_RATIO)


def per_1000(comparison: str, intervention: str) -> Per1000:
    return Per1000(Decimal(comparison), Decimal(intervention))


@pytest.mark.parametrize(
    ("effect", "changes", "fault"),
    [
        (RATIO, {"estimate": Decimal("0.4")}, "estimate: must be within the interval"),
        (
            RATIO,
            {"interval": Interval(Decimal("0.9"), Decimal("0.5"))},
            "interval: must have the lower end first",
        ),
        (
            RATIO,
            {"estimate": Decimal(0), "interval": None},
            "estimate: must be above 0, as every ratio is",
        ),
        (
            RATIO,
            {"interval": Interval(Decimal("0.0"), Decimal("0.9"))},
            "interval: must be above 0, as every ratio is",
        ),
        (
            RATIO,
            {"per_1000": per_1000("100", "101")},
            "per_1000: must be on the same side as the estimate, 0.70",
        ),
        (RATIO, {"unit": "points"}, "unit: must be null for a risk_ratio"),
        (an_effect(), {"unit": "SD"}, "unit: must be null for a standardised_mean_difference"),
        (an_effect(), {"measure": Measure.MEAN_DIFFERENCE}, "unit: is required for a mean"),
    ],
)
def test_figures_that_contradict_each_other_are_rejected(
    effect: Effect, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(InvalidValueError, match=fault):
        replace(effect, **changes)


def test_an_estimate_of_no_effect_and_equal_counts_contradict_nothing() -> None:
    replace(RATIO, estimate=Decimal("1.0"), interval=None, per_1000=per_1000("50", "46"))
    replace(RATIO, per_1000=per_1000("50", "50"))


def test_an_intervention_has_three_effects_at_most_each_from_one_of_its_references() -> None:
    with pytest.raises(InvalidValueError, match="must have at most 3 items, has 4"):
        an_intervention(effects=[an_effect()] * 4)
    with pytest.raises(InvalidValueError, match="must be reported by references of the interv"):
        an_intervention(effects=[an_effect(reference=1)])


def test_a_mainstay_is_visible_and_strongly_recommended() -> None:
    entry = an_entry()
    (exercise,) = entry.interventions
    weak = replace(exercise.evidence, recommendation=Recommendation.CONDITIONAL_FOR)
    diagnosis = replace(entry.diagnosis, mainstays=(exercise.id, "elsewhere"))
    allowed = "must be visible interventions of the diagnosis with strong_for;"

    for changes, reason in (
        ({"interventions": (replace(exercise, evidence=weak),)}, "has conditional_for"),
        (
            {"diagnosis": replace(diagnosis, enabled_modules=())},
            "is hidden because home is not in enabled_modules",
        ),
    ):
        with pytest.raises(InvalidValueError) as refused:
            replace(entry, **({"diagnosis": diagnosis} | changes))
        assert [(fault.item, fault.message) for fault in refused.value.faults] == [
            (0, f"{allowed} {exercise.id} {reason}"),
            (1, f"{allowed} there is no elsewhere"),
        ]
