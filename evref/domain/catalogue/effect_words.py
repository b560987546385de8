"""The size of an effect in words: the same ones in every interface.

Words follow from the sign of the estimate and from which values are good for the person, so that
no effect reads backwards: events happen less or more often, scores are better or worse, physical
quantities are lower or higher, and counts are fewer or more.
"""

from __future__ import annotations

from decimal import Decimal

from evref.domain.catalogue.effect import Effect, Favours, Measure, Unit
from evref.domain.catalogue.evidence import Certainty, Direction
from evref.domain.rules import counted

_RATIOS = {
    Measure.RISK_RATIO: "RR",
    Measure.ODDS_RATIO: "OR",
    Measure.HAZARD_RATIO: "HR",
    Measure.RATE_RATIO: "rate ratio",
}
_LOWER_AND_HIGHER = {
    Unit.EVENTS: ("less often", "more often"),
    Unit.QUANTITY: ("lower", "higher"),
    Unit.COUNT: ("fewer", "more"),
}
_SAME = {True: (Decimal("0.90"), Decimal("1.10")), False: (Decimal("-0.2"), Decimal("0.2"))}
"""The interval of ratios, and of standardised differences, within which there is no difference
that matters.
"""
_LONGEST_LINE, _LONGEST_COMPARISON = 92, 24


def direction(effect: Effect) -> str:
    """Return “less often”, “better”, “lower”, “fewer” or their opposites, or that there is none.

    That is “about the same” if the interval holds no effect and is narrow, else “no clear
    difference”.
    """
    if effect.interval is None or effect.favours is not Favours.NEITHER:
        return _side(effect, effect.estimate) or "no clear difference"
    is_ratio = effect.measure.is_ratio
    low, high = _SAME[is_ratio]
    is_narrow = low <= effect.interval.low and effect.interval.high <= high
    has_limits = is_ratio or effect.measure is Measure.STANDARDISED_MEAN_DIFFERENCE
    return "about the same" if has_limits and is_narrow else "no clear difference"


def size(effect: Effect) -> str:
    """Return what follows the direction in a sentence, such as “ by 12 of 100 points”."""
    estimate = effect.estimate
    of_1000 = effect.per_1000
    if of_1000 is not None:
        events = f", {_text(of_1000.intervention)} instead of {_text(of_1000.comparison)} in 1,000"
        return f"{events}, {_ratio(effect)}" if effect.measure.is_ratio else events
    if effect.measure.is_ratio:
        return f", {_ratio(effect)}"
    if effect.interval is not None and effect.favours is Favours.NEITHER:
        return f", {_side(effect, estimate)} by {_amount(effect)}" if estimate else ""
    return f" by {_amount(effect)}" if estimate else ""


def details(effect: Effect) -> str:
    """Return the interval, the comparison, studies, people and certainty.

    Such as “(95 % interval 10 to 15) vs no exercise; 44 studies, 3,537 people; high certainty”.
    """
    people = (effect.studies, "study", "studies"), (effect.participants, "person", "people")
    parts = [
        f"({_interval(effect)}) vs {effect.comparison}",
        ", ".join(counted(number, *nouns) for number, *nouns in people if number is not None),
    ]
    if effect.certainty is not Certainty.NOT_GRADED:
        parts.append(f"{effect.certainty.replace('_', ' ')} certainty")
    return "; ".join(filter(None, parts))


def plain(effect: Effect) -> str:
    """Return the effect in a sentence without its full stop.

    Such as “Pain: better by 12 of 100 points (95 % interval 10 to 15) vs no exercise; 44 studies”.
    """
    return f"{effect.outcome}: {direction(effect)}{size(effect)} {details(effect)}"


def short(effect: Effect) -> str:
    """Return the effect for one line, such as “Death: less often (HR 0.8) vs placebo”."""
    line = f"{effect.outcome}: {direction(effect)}{_short_size(effect)}"
    if effect.interval is None:
        line += ", interval not stated"
    compared = f"{line} vs {effect.comparison}"
    fits = len(effect.comparison) <= _LONGEST_COMPARISON and len(compared) <= _LONGEST_LINE
    return compared if fits else line


def contradicts(effect: Effect, advice: Direction) -> bool:
    """Return whether the effect, read beside advice in this direction, says the opposite."""
    if effect.interval is not None and effect.favours is Favours.NEITHER:
        return False
    is_good = effect.is_good(effect.estimate)
    return {Direction.FOR: not is_good, Direction.AGAINST: is_good}.get(advice, False)


def _short_size(effect: Effect) -> str:
    if effect.interval is not None and effect.favours is Favours.NEITHER:
        low, high = map(_text, effect.interval)
        return f" ({_ratio(effect)}, {low} to {high})" if effect.measure.is_ratio else ""
    if effect.measure.is_ratio and effect.per_1000 is None:
        return f" ({_ratio(effect)})"
    return size(effect).partition(" in 1,000, ")[0] + " in 1,000" * (effect.per_1000 is not None)


def _ratio(effect: Effect) -> str:
    return f"{_RATIOS[effect.measure]} {_text(effect.estimate)}"


def _amount(effect: Effect) -> str:
    number = _text(abs(effect.estimate))
    scale, of, whole = (effect.unit or "SD").partition(" of ")
    is_of_number = of and whole.isdecimal()
    return f"{number} of {whole} {scale}" if is_of_number else f"{number} {scale}{of}{whole}"


def _interval(effect: Effect) -> str:
    if effect.interval is None:
        return "95 % interval not stated"
    low, high = effect.interval
    if effect.measure.is_ratio:
        ends = [_text(low), _text(high)]
    elif low * high > 0:
        ends = [_text(end) for end in sorted((abs(low), abs(high)))]
    else:
        ends = [f"{_text(abs(end))} {_side(effect, end)}".strip() for end in (low, high)]
    return f"95 % interval {' to '.join(ends)}"


def _side(effect: Effect, value: Decimal) -> str:
    """Return the word for a value on this side of no effect; nothing for no effect."""
    no_effect = effect.measure.no_effect
    if value == no_effect:
        return ""
    if effect.unit_kind is Unit.SCORE:
        return "better" if effect.is_good(value) else "worse"
    return _LOWER_AND_HIGHER[effect.unit_kind][value > no_effect]


def _text(number: Decimal) -> str:
    return f"{number:,f}"
