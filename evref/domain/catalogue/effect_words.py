"""The size of an effect in words: the same ones in every interface."""

from __future__ import annotations

import re
from decimal import Decimal

from evref.domain.catalogue.effect import Better, Effect, Favours, Measure, Per1000
from evref.domain.catalogue.evidence import Certainty
from evref.domain.rules import counted

_NOUNS = {
    Measure.RISK_RATIO: "risk",
    Measure.ODDS_RATIO: "odds",
    Measure.HAZARD_RATIO: "hazard",
    Measure.RATE_RATIO: "rate",
}
_CHANCE = "chance"
"""In place of a risk if the outcome is good for the person."""

# Times and scales, which the short form omits unless the outcome has a remark.
_TIME = re.compile(
    r",?(?<!given)(?<!treated) (?:at|after|within|over) (?:about |a |the )?"
    r"(?:[0-9]|one\b|two\b|three\b|year\b|end\b|median\b|longest\b|earliest\b|final\b)"
    r"[^,();]*?(?= \(|[,;]|$)(?![^()]*\))"
)
_SCALE = re.compile(r" \((?=[^()]*(?:[0-9]|[Ss]cale|[Ss]core|[Ii]ndex|follow-up))[^()]*\)")
_REMARK = re.compile(r"figure|better|improve|favour|minus|less\b|no difference", re.IGNORECASE)
"""Words that may reverse the meaning of the sign or of the whole sentence."""
_BEYOND_WORDS = re.compile(r"[,()0-9]")
_COMMON_WORD = re.compile(r"(?!Hamilton\b|Crohn\b|Parkinson\b)[A-Z][a-z-]+(?= [^A-Z]|[,:]|$)")


def sentence(effect: Effect) -> str:
    """Return the effect in a sentence without its full stop.

    Such as “Pain, compared with no exercise: 0.49 standard deviations lower (95 % interval 0.39 to
    0.59); 44 studies, 3,537 people; high certainty”.
    """
    size = _size(effect, "standard deviations")
    if _may_be_none(effect):
        size += ", but it may be lower or higher"
    parts = [
        f"{effect.outcome}, compared with {effect.comparison}: {size} ({_interval(effect)})",
        ", ".join(
            counted(number, singular, plural)
            for number, singular, plural in (
                (effect.studies, "study", "studies"),
                (effect.participants, "person", "people"),
            )
            if number is not None
        ),
        ""
        if effect.certainty is Certainty.NOT_GRADED
        else f"{effect.certainty.replace('_', ' ')} certainty",
    ]
    return "; ".join(filter(None, parts))


def of_1000(effect: Effect) -> str | None:
    """Return such as “Of 1,000 people, 162 without and 114 with it: 48 fewer”; None if unknown."""
    events = effect.per_1000
    if events is None:
        return None
    doubt = ", but it may be fewer or more" if _may_be_none(effect) else ""
    return (
        f"Of 1,000 people, {events.comparison} without and {events.intervention} with it: "
        f"{_more(events)}{doubt}"
    )


def short(effect: Effect) -> str:
    """Return the shortest true form, such as “pain 0.49 SD lower” or “death: 48 fewer in 1,000”."""
    outcome = effect.outcome
    if _REMARK.search(outcome) is None:
        outcome = _TIME.sub("", _SCALE.sub("", outcome))
    if _COMMON_WORD.match(outcome):
        outcome = outcome[0].lower() + outcome[1:]
    if _may_be_none(effect):
        return f"{outcome}: may be lower or higher"
    without_interval = " (no interval stated)" if effect.interval is None else ""
    if effect.per_1000 is not None:
        return f"{outcome}: {_more(effect.per_1000)} in 1,000{without_interval}"
    joint = ": " if effect.measure.is_ratio or _BEYOND_WORDS.search(outcome) else " "
    return f"{outcome}{joint}{_size(effect, 'SD')}{without_interval}"


def favoured(effect: Effect) -> str:
    """Return which side the effect favours."""
    if effect.favours is Favours.INTERVENTION:
        return "Favours it"
    if effect.favours is Favours.COMPARISON:
        return f"Favours {effect.comparison}"
    return "Favours neither"


def _size(effect: Effect, deviations: str) -> str:
    """Return the estimate with its unit, or with what it multiplies."""
    estimate = effect.estimate
    noun = _NOUNS.get(effect.measure)
    if noun is not None:
        if effect.measure is Measure.RISK_RATIO and effect.better is Better.HIGHER:
            noun = _CHANCE
        return f"the same {noun}" if estimate == 1 else f"{estimate} times the {noun}"
    if not estimate:
        return "no difference"
    return f"{abs(estimate)} {effect.unit or deviations} {_side(estimate)}"


def _interval(effect: Effect) -> str:
    if effect.interval is None:
        return "95 % interval not stated"
    low, high = effect.interval
    if effect.measure.is_ratio:
        first, last = str(low), str(high)
    elif low * high > 0:
        first, last = map(str, sorted((abs(low), abs(high))))
    else:
        first, last = (f"{abs(end)} {_side(end)}" if end else "0" for end in (low, high))
    return f"95 % interval {first} to {last}"


def _may_be_none(effect: Effect) -> bool:
    """Return whether the interval holds the value of no effect."""
    return effect.interval is not None and effect.favours is Favours.NEITHER


def _more(events: Per1000) -> str:
    """Return how many more or fewer events there are with the intervention."""
    more = events.intervention - events.comparison
    if not more:
        return "no difference"
    return f"{abs(more):,} {'more' if more > 0 else 'fewer'}"


def _side(difference: Decimal) -> str:
    return "lower" if difference < 0 else "higher"
