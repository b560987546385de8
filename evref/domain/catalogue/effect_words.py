"""The size of an effect in words: the same ones in every interface.

They need only what the interfaces serve of an effect, and import nothing of the service.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Protocol

_NOUNS = {
    "risk_ratio": "risk",
    "odds_ratio": "odds",
    "hazard_ratio": "hazard",
    "rate_ratio": "rate",
}
_CHANCE = "chance"
"""In place of a risk if the outcome is good for the person."""

# Time and scales, which the short form leaves out unless the outcome has a remark.
_TIME = re.compile(
    r",?(?<!given)(?<!treated) (?:at|after|within|over) (?:about |a |the )?"
    r"(?:[0-9]|one\b|two\b|three\b|year\b|end\b|median\b|longest\b|earliest\b|final\b)"
    r"[^,();]*?(?= \(|[,;]|$)(?![^()]*\))"
)
_SCALE = re.compile(r" \((?=[^()]*(?:[0-9]|[Ss]cale|[Ss]core|[Ii]ndex|follow-up))[^()]*\)")
_REMARK = re.compile(r"figure|better|improve|favour|minus|less\b|no difference", re.IGNORECASE)
"""What turns the meaning of the sign, or of the whole."""
_BEYOND_WORDS = re.compile(r"[,()0-9]")
_COMMON_WORD = re.compile(r"(?!Hamilton\b|Crohn\b|Parkinson\b)[A-Z][a-z-]+(?= [^A-Z]|[,:]|$)")


class Interval(Protocol):
    """A 95 % interval; the text of each end is a number."""

    @property
    def low(self) -> object: ...
    @property
    def high(self) -> object: ...


class Per1000(Protocol):
    """Events in 1,000 people; the text of each is a number."""

    @property
    def comparison(self) -> object: ...
    @property
    def intervention(self) -> object: ...


class Effect(Protocol):
    """An effect as the domain or a client of the API has it; the text of a number is that of its
    source. `measure`, `better`, `favours` and `certainty` are the values of their enumerations.
    """

    @property
    def outcome(self) -> str: ...
    @property
    def comparison(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def estimate(self) -> object: ...
    @property
    def interval(self) -> Interval | None: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def better(self) -> str: ...
    @property
    def favours(self) -> str: ...
    @property
    def per_1000(self) -> Per1000 | None: ...
    @property
    def studies(self) -> int | None: ...
    @property
    def participants(self) -> int | None: ...
    @property
    def certainty(self) -> str: ...


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
            f"{number:,} {one if number == 1 else several}"
            for number, one, several in (
                (effect.studies, "study", "studies"),
                (effect.participants, "person", "people"),
            )
            if number is not None
        ),
        "" if effect.certainty == "not_graded" else f"{_spaced(effect.certainty)} certainty",
    ]
    return "; ".join(filter(None, parts))


def of_1000(effect: Effect) -> str | None:
    """Return such as “Of 1,000 people, 162 without and 114 with it: 48 fewer”; None if unknown."""
    events = effect.per_1000
    if events is None:
        return None
    said = f"Of 1,000 people, {events.comparison} without and {events.intervention} with it"
    said += f": {_more(events)}"
    return said + (", but it may be fewer or more" if _may_be_none(effect) else "")


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
    joint = ": " if effect.measure in _NOUNS or _BEYOND_WORDS.search(outcome) else " "
    return f"{outcome}{joint}{_size(effect, 'SD')}{without_interval}"


def favoured(effect: Effect) -> str:
    """Return which side the effect favours."""
    if effect.favours == "intervention":
        return "Favours it"
    if effect.favours == "comparison":
        return f"Favours {effect.comparison}"
    return "Favours neither"


def _size(effect: Effect, deviations: str) -> str:
    """Return the estimate with what it is a multiple or a number of."""
    noun = _NOUNS.get(effect.measure)
    estimate = Decimal(str(effect.estimate))
    if noun is not None:
        if noun == "risk" and effect.better == "higher":
            noun = _CHANCE
        return f"the same {noun}" if estimate == 1 else f"{effect.estimate} times the {noun}"
    unit = deviations if effect.measure == "standardised_mean_difference" else effect.unit
    return f"{_unsigned(effect.estimate)} {unit} {_side(estimate)}" if estimate else "no difference"


def _interval(effect: Effect) -> str:
    if effect.interval is None:
        return "95 % interval not stated"
    ends = effect.interval.low, effect.interval.high
    low, high = (Decimal(str(end)) for end in ends)
    if effect.measure in _NOUNS:
        first, last = map(str, ends)
    elif low * high > 0:
        first, last = sorted(map(_unsigned, ends), key=Decimal)
    else:
        first, last = (
            f"{_unsigned(end)} {_side(value)}" if value else "0"
            for end, value in zip(ends, (low, high), strict=True)
        )
    return f"95 % interval {first} to {last}"


def _may_be_none(effect: Effect) -> bool:
    """Return whether the interval holds the value of no effect."""
    return effect.interval is not None and effect.favours == "neither"


def _more(events: Per1000) -> str:
    """Return how many more or fewer events there are with the intervention."""
    more = Decimal(str(events.intervention)) - Decimal(str(events.comparison))
    if not more:
        return "no difference"
    return f"{abs(more):,} {'more' if more > 0 else 'fewer'}"


def _side(difference: Decimal) -> str:
    return "lower" if difference < 0 else "higher"


def _unsigned(number: object) -> str:
    return str(number).removeprefix("-")


def _spaced(value: str) -> str:
    return value.replace("_", " ")
