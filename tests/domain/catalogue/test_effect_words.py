"""Effects in words, for every measure."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from evref.domain.catalogue.effect_words import favoured, of_1000, sentence, short


@dataclass(frozen=True)
class Ends:
    low: str
    high: str


@dataclass(frozen=True)
class Events:
    comparison: str
    intervention: str


@dataclass(frozen=True)
class AnEffect:
    """An effect as the words need it, with texts as numbers."""

    measure: str
    estimate: str
    interval: Ends | None
    favours: str
    outcome: str = "Death within 30 days"
    comparison: str = "placebo"
    unit: str | None = None
    better: str = "lower"
    per_1000: Events | None = None
    studies: int | None = None
    participants: int | None = None
    certainty: str = "not_graded"


HIGHER = "higher"
PAIN = AnEffect(
    "standardised_mean_difference",
    "-0.49",
    Ends("-0.59", "-0.39"),
    "intervention",
    outcome="Pain at the end of treatment",
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
            AnEffect("risk_ratio", "0.5", Ends("0.40", "0.62"), "intervention", studies=1),
            "0.5 times the risk (95 % interval 0.40 to 0.62); 1 study",
            "death: 0.5 times the risk",
        ),
        (
            AnEffect("risk_ratio", "2", Ends("1.8", "2.4"), "intervention", "Cure", better=HIGHER),
            "2 times the chance (95 % interval 1.8 to 2.4)",
            "cure: 2 times the chance",
        ),
        (
            AnEffect("odds_ratio", "0.5", Ends("0.3", "0.8"), "intervention", participants=1),
            "0.5 times the odds (95 % interval 0.3 to 0.8); 1 person",
            "death: 0.5 times the odds",
        ),
        (
            AnEffect("hazard_ratio", "1.71", Ends("1.1", "2.6"), "comparison", "Major bleeding"),
            "1.71 times the hazard (95 % interval 1.1 to 2.6)",
            "major bleeding: 1.71 times the hazard",
        ),
        (
            AnEffect("rate_ratio", "0.81", Ends("0.6", "1.0"), "neither", certainty="very_low"),
            (
                "0.81 times the rate, but it may be lower or higher (95 % interval 0.6 to 1.0); "
                "very low certainty"
            ),
            "death: may be lower or higher",
        ),
        (
            AnEffect("risk_ratio", "1.0", Ends("0.8", "1.2"), "neither"),
            "the same risk, but it may be lower or higher (95 % interval 0.8 to 1.2)",
            "death: may be lower or higher",
        ),
        (
            AnEffect(
                "risk_difference",
                "6.4",
                Ends("1.2", "11.6"),
                "intervention",
                "Alive at 5 years",
                unit="percentage points",
                better=HIGHER,
            ),
            "6.4 percentage points higher (95 % interval 1.2 to 11.6)",
            "alive 6.4 percentage points higher",
        ),
        (
            AnEffect(
                "mean_difference",
                "-1.20",
                Ends("-3.1", "0.7"),
                "neither",
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
            AnEffect("mean_difference", "0", Ends("-2", "0"), "neither", "HbA1c", unit="%"),
            "no difference, but it may be lower or higher (95 % interval 2 lower to 0)",
            "HbA1c: may be lower or higher",
        ),
        (
            AnEffect(
                "mean_difference",
                "5",
                None,
                "neither",
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
    effect: AnEffect, size: str, brief: str
) -> None:
    """Which say no more than the figures do."""
    assert sentence(effect) == f"{effect.outcome}, compared with {effect.comparison}: {size}"
    assert short(effect) == brief
    assert of_1000(effect) is None


@pytest.mark.parametrize(
    ("events", "favours", "whole", "brief"),
    [
        (
            Events("162", "114"),
            "intervention",
            "Of 1,000 people, 162 without and 114 with it: 48 fewer",
            "death: 48 fewer in 1,000",
        ),
        (
            Events("5.5", "7"),
            "comparison",
            "Of 1,000 people, 5.5 without and 7 with it: 1.5 more",
            "death: 1.5 more in 1,000",
        ),
        (
            Events("50", "46"),
            "neither",
            "Of 1,000 people, 50 without and 46 with it: 4 fewer, but it may be fewer or more",
            "death: may be lower or higher",
        ),
        (
            Events("3", "3"),
            "comparison",
            "Of 1,000 people, 3 without and 3 with it: no difference",
            "death: no difference in 1,000",
        ),
    ],
)
def test_events_in_1000_people_are_counted(
    events: Events, favours: str, whole: str, brief: str
) -> None:
    """In place of the ratio, where they are known."""
    effect = AnEffect("risk_ratio", "0.7", Ends("0.6", "0.8"), favours, per_1000=events)

    assert (of_1000(effect), short(effect)) == (whole, brief)


@pytest.mark.parametrize(
    ("favours", "words"),
    [
        ("intervention", "Favours it"),
        ("comparison", "Favours placebo"),
        ("neither", "Favours neither"),
    ],
)
def test_what_an_effect_favours_is_said(favours: str, words: str) -> None:
    """By the names of the two sides."""
    assert favoured(AnEffect("risk_ratio", "0.7", None, favours)) == words


def test_the_short_form_leaves_out_a_time_with_its_comma() -> None:
    outcome = "Admission, or death, within 12 months"
    effect = AnEffect("risk_ratio", "0.9", Ends("0.8", "1.1"), "neither", outcome)

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
def test_the_short_form_keeps_what_the_figure_needs(outcome: str, brief: str) -> None:
    """So that less pain is not read as more of it."""
    effect = AnEffect(
        "mean_difference",
        "12",
        Ends("10", "15"),
        "intervention",
        outcome,
        unit="points of 100",
        better=HIGHER,
    )

    assert short(effect) == brief
