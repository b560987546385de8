"""Effects in words, for every measure."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evref.domain.catalogue.effect import Better, Effect, Interval, Measure, Per1000
from evref.domain.catalogue.effect_words import favoured, of_1000, sentence, short
from evref.domain.catalogue.evidence import Certainty


def an_effect(
    measure: str,
    estimate: str,
    interval: tuple[str, str] | None,
    outcome: str = "Death within 30 days",
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


HIGHER = "higher"
PAIN = an_effect(
    "standardised_mean_difference",
    "-0.49",
    ("-0.59", "-0.39"),
    "Pain at the end of treatment",
    comparison="no exercise",
    studies=44,
    participants=3537,
    certainty="high",
)


@pytest.mark.parametrize(
    ("effect", "size", "brief"),
    [
        (
            PAIN,
            (
                "0.49 standard deviations lower (95 % interval 0.39 to 0.59); 44 studies, 3,537 "
                "people; high certainty"
            ),
            "pain 0.49 SD lower",
        ),
        (
            an_effect("risk_ratio", "0.5", ("0.40", "0.62"), studies=1),
            "0.5 times the risk (95 % interval 0.40 to 0.62); 1 study",
            "death: 0.5 times the risk",
        ),
        (
            an_effect("risk_ratio", "2", ("1.8", "2.4"), "Cure", better=HIGHER),
            "2 times the chance (95 % interval 1.8 to 2.4)",
            "cure: 2 times the chance",
        ),
        (
            an_effect("odds_ratio", "0.5", ("0.3", "0.8"), participants=1),
            "0.5 times the odds (95 % interval 0.3 to 0.8); 1 person",
            "death: 0.5 times the odds",
        ),
        (
            an_effect("hazard_ratio", "1.71", ("1.1", "2.6"), "Major bleeding"),
            "1.71 times the hazard (95 % interval 1.1 to 2.6)",
            "major bleeding: 1.71 times the hazard",
        ),
        (
            an_effect("rate_ratio", "0.81", ("0.6", "1.0"), certainty="very_low"),
            (
                "0.81 times the rate, but it may be lower or higher (95 % interval 0.6 to 1.0); "
                "very low certainty"
            ),
            "death: may be lower or higher",
        ),
        (
            an_effect("risk_ratio", "1.0", ("0.8", "1.2")),
            "the same risk, but it may be lower or higher (95 % interval 0.8 to 1.2)",
            "death: may be lower or higher",
        ),
        (
            an_effect(
                "risk_difference",
                "6.4",
                ("1.2", "11.6"),
                "Alive at 5 years",
                unit="percentage points",
                better=HIGHER,
            ),
            "6.4 percentage points higher (95 % interval 1.2 to 11.6)",
            "alive 6.4 percentage points higher",
        ),
        (
            an_effect(
                "mean_difference",
                "-1.20",
                ("-3.1", "0.7"),
                "Hamilton anxiety score (0 to 56)",
                unit="points",
            ),
            (
                "1.20 points lower, but it may be lower or higher (95 % interval 3.1 lower to 0.7 "
                "higher)"
            ),
            "Hamilton anxiety score: may be lower or higher",
        ),
        (
            an_effect("mean_difference", "0", ("-2", "0"), "HbA1c", unit="%"),
            "no difference, but it may be lower or higher (95 % interval 2 lower to 0)",
            "HbA1c: may be lower or higher",
        ),
        (
            an_effect(
                "mean_difference",
                "5",
                None,
                "Mood after 8 weeks (positive figure: improvement)",
                unit="points of 10",
                better=HIGHER,
            ),
            "5 points of 10 higher (95 % interval not stated)",
            (
                "mood after 8 weeks (positive figure: improvement): 5 points of 10 higher (no "
                "interval stated)"
            ),
        ),
    ],
)
def test_an_effect_is_a_sentence_and_has_a_short_form(
    effect: Effect, size: str, brief: str
) -> None:
    """Neither form says more than the figures do."""
    assert sentence(effect) == f"{effect.outcome}, compared with {effect.comparison}: {size}"
    assert short(effect) == brief
    assert of_1000(effect) is None


@pytest.mark.parametrize(
    ("estimate", "interval", "events", "whole", "brief"),
    [
        (
            *("0.7", ("0.6", "0.8"), ("162", "114")),
            "Of 1,000 people, 162 without and 114 with it: 48 fewer",
            "death: 48 fewer in 1,000",
        ),
        (
            *("1.3", ("1.1", "1.5"), ("5.5", "7")),
            "Of 1,000 people, 5.5 without and 7 with it: 1.5 more",
            "death: 1.5 more in 1,000",
        ),
        (
            *("0.9", ("0.8", "1.1"), ("50", "46")),
            "Of 1,000 people, 50 without and 46 with it: 4 fewer, but it may be fewer or more",
            "death: may be lower or higher",
        ),
        (
            *("0.9", ("0.8", "0.99"), ("3", "3")),
            "Of 1,000 people, 3 without and 3 with it: no difference",
            "death: no difference in 1,000",
        ),
    ],
)
def test_events_in_1000_people_are_said(
    estimate: str, interval: tuple[str, str], events: tuple[str, str], whole: str, brief: str
) -> None:
    """They replace the ratio where they are known."""
    effect = an_effect("risk_ratio", estimate, interval, per_1000=events)

    assert (of_1000(effect), short(effect)) == (whole, brief)


@pytest.mark.parametrize(
    ("interval", "better", "words"),
    [
        (("0.6", "0.8"), "lower", "Favours it"),
        (("0.6", "0.8"), "higher", "Favours placebo"),
        (None, "lower", "Favours neither"),
    ],
)
def test_the_favoured_side_is_named(
    interval: tuple[str, str] | None, better: str, words: str
) -> None:
    assert favoured(an_effect("risk_ratio", "0.7", interval, better=better)) == words


def test_the_short_form_leaves_out_a_time_with_its_comma() -> None:
    outcome = "Admission, or death, within 12 months"
    effect = an_effect("risk_ratio", "0.9", ("0.8", "1.1"), outcome)

    assert short(effect) == "admission, or death: may be lower or higher"


@pytest.mark.parametrize(
    ("outcome", "brief"),
    [
        (
            "Pain after treatment (points less on a scale of 0 to 100)",
            "pain after treatment (points less on a scale of 0 to 100): 12 points of 100 higher",
        ),
        (
            "Mood after treatment (no difference found at 6 months)",
            "mood after treatment (no difference found at 6 months): 12 points of 100 higher",
        ),
        (
            "Function, given within 3 hours",
            "function, given within 3 hours: 12 points of 100 higher",
        ),
        ("Function, trained at home", "function, trained at home: 12 points of 100 higher"),
    ],
)
def test_the_short_form_keeps_words_that_explain_the_figure(outcome: str, brief: str) -> None:
    """Otherwise less pain could be read as more pain."""
    effect = an_effect(
        "mean_difference",
        "12",
        ("10", "15"),
        outcome,
        unit="points of 100",
        better=HIGHER,
    )

    assert short(effect) == brief
