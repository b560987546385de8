"""Effects in words, for every measure and kind of unit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evref.domain.catalogue.effect import Better, Effect, Favours, Interval, Measure, Per1000, Unit
from evref.domain.catalogue.evidence import Certainty, Direction
from evref.domain.catalogue.in_words import contradicts, direction, plain, short
from evref.domain.errors import InvalidValueError
from tests.pages.site import bundled


def an_effect(
    measure: str,
    estimate: str,
    interval: tuple[str, str] | None,
    outcome: str = "Death",
    *,
    comparison: str = "placebo",
    unit: str | None = None,
    better: str = "lower",
    per_1000: tuple[str, str] | None = None,
    studies: int | None = None,
    participants: int | None = None,
    certainty: str = "not_graded",
) -> Effect:
    """Return an effect with figures given as text."""
    return Effect(
        outcome=outcome,
        comparison=comparison,
        measure=Measure(measure),
        estimate=Decimal(estimate),
        interval=interval and Interval(*map(Decimal, interval)),
        unit=unit,
        better=Better(better),
        per_1000=per_1000 and Per1000(*map(Decimal, per_1000)),
        studies=studies,
        participants=participants,
        certainty=Certainty(certainty),
        reference=0,
    )


def a_difference(estimate: str, interval: tuple[str, str] | None, unit: str) -> Effect:
    return an_effect("mean_difference", estimate, interval, "Outcome", unit=unit)


HIGHER = "higher"


@pytest.mark.parametrize(
    ("effect", "sentence", "line"),
    [
        (
            an_effect(
                "standardised_mean_difference",
                "-0.49",
                ("-0.59", "-0.39"),
                "Pain",
                comparison="no exercise",
                studies=44,
                participants=3537,
                certainty="high",
            ),
            ("Pain: better by 0.49 SD (95 % interval 0.39 to 0.59) vs no exercise; 44 studies, "
            "3,537 people; high certainty"),
            "Pain: better by 0.49 SD vs no exercise",
        ),
        (
            an_effect("hazard_ratio", "0.8", ("0.73", "0.87"), studies=1),
            "Death: less often, HR 0.8 (95 % interval 0.73 to 0.87) vs placebo; 1 study",
            "Death: less often (HR 0.8) vs placebo",
        ),
        (
            an_effect("risk_ratio", "0.57", ("0.4", "0.8"), per_1000=("184", "105")),
            ("Death: less often, 105 instead of 184 in 1,000, RR 0.57 (95 % interval 0.4 to 0.8) "
            "vs placebo"),
            "Death: less often, 105 instead of 184 in 1,000 vs placebo",
        ),
        (
            an_effect("odds_ratio", "1.34", ("1.02", "1.76"), "No disability", better=HIGHER),
            "No disability: more often, OR 1.34 (95 % interval 1.02 to 1.76) vs placebo",
            "No disability: more often (OR 1.34) vs placebo",
        ),
        (
            an_effect("risk_ratio", "0.89", ("0.78", "1.01")),
            "Death: no clear difference, RR 0.89 (95 % interval 0.78 to 1.01) vs placebo",
            "Death: no clear difference (RR 0.89, 0.78 to 1.01) vs placebo",
        ),
        (
            an_effect("rate_ratio", "0.99", ("0.9", "1.1")),
            "Death: about the same, rate ratio 0.99 (95 % interval 0.9 to 1.1) vs placebo",
            "Death: about the same (rate ratio 0.99, 0.9 to 1.1) vs placebo",
        ),
        (
            an_effect(
                "risk_difference", "13.5", ("5", "22"), "Cure", unit="percentage points",
                better=HIGHER,
            ),
            "Cure: more often by 13.5 percentage points (95 % interval 5 to 22) vs placebo",
            "Cure: more often by 13.5 percentage points vs placebo",
        ),
        (
            a_difference("-4.26", ("-6", "-2"), "mm Hg"),
            "Outcome: lower by 4.26 mm Hg (95 % interval 2 to 6) vs placebo",
            "Outcome: lower by 4.26 mm Hg vs placebo",
        ),
        (
            a_difference("1.5", None, "points of 100"),
            "Outcome: worse by 1.5 of 100 points (95 % interval not stated) vs placebo",
            "Outcome: worse by 1.5 of 100 points, interval not stated vs placebo",
        ),
        (
            a_difference("-1.44", ("-2", "-1"), "days a month"),
            "Outcome: fewer by 1.44 days a month (95 % interval 1 to 2) vs placebo",
            "Outcome: fewer by 1.44 days a month vs placebo",
        ),
        (
            a_difference("-2.17", ("-4.39", "0.06"), "points of 100"),
            ("Outcome: no clear difference, better by 2.17 of 100 points (95 % interval 4.39 "
            "better to 0.06 worse) vs placebo"),
            "Outcome: no clear difference vs placebo",
        ),
        (
            an_effect("standardised_mean_difference", "0", ("-0.1", "0.2"), "Pain"),
            "Pain: about the same (95 % interval 0.1 better to 0.2 worse) vs placebo",
            "Pain: about the same vs placebo",
        ),
        (
            an_effect("risk_ratio", "1.05", ("1.01", "1.09")),
            "Death: more often, RR 1.05 (95 % interval 1.01 to 1.09) vs placebo",
            "Death: more often (RR 1.05) vs placebo",
        ),
    ],
)  # fmt: skip
def test_an_effect_in_a_sentence_and_on_a_line(effect: Effect, sentence: str, line: str) -> None:
    assert plain(effect) == sentence
    assert short(effect) == line


@pytest.mark.parametrize("comparison", ["a comparison that is long", "usual care"])
def test_a_comparison_that_does_not_fit_is_left_out_of_the_line(comparison: str) -> None:
    effect = an_effect("risk_ratio", "0.5", ("0.4", "0.6"), "D" * 70, comparison=comparison)

    assert short(effect) == f"{'D' * 70}: less often (RR 0.5)"


@pytest.mark.parametrize(
    ("effect", "opposite_of"),
    [
        (an_effect("risk_ratio", "0.5", ("0.4", "0.6")), Direction.AGAINST),
        (an_effect("risk_ratio", "2", None), Direction.FOR),
        (an_effect("risk_ratio", "2", ("0.9", "3")), None),
    ],
)
def test_an_effect_says_the_opposite_of_advice(
    effect: Effect, opposite_of: Direction | None
) -> None:
    assert [advice for advice in Direction if contradicts(effect, advice)] == (
        [opposite_of] if opposite_of else []
    )


def test_a_unit_that_cannot_be_put_into_words_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="unit: must be a unit that"):
        a_difference("1", None, "bananas")


WORDS = {
    True: {"more often", "better", "higher", "more"},
    False: {"less often", "worse", "lower", "fewer"},
}
"""By whether the value rises, and for a score, by whether that is good."""


def test_no_effect_of_the_catalogue_reads_backwards() -> None:
    """The word agrees with the side that the effect favours, with what is better, and the sign."""
    effects = [
        effect
        for entry in bundled().entries
        for intervention in entry.interventions
        for effect in intervention.effects
    ]
    assert effects
    for effect in effects:
        word, is_bounded = direction(effect), effect.interval is not None
        if is_bounded and effect.favours is Favours.NEITHER:
            assert word in {"about the same", "no clear difference"}, effect
            continue
        rises = effect.estimate > effect.measure.no_effect
        is_good = rises is (effect.better is Better.HIGHER)
        assert word in WORDS[is_good if effect.unit_kind is Unit.SCORE else rises], effect
        assert not is_bounded or (effect.favours is Favours.INTERVENTION) is is_good, effect
