"""The effect of an intervention in words, the same ones as in the service.

The direction follows from the sign and from which values are good for the person, so that no effect
reads backwards: events happen less or more often, scores are better or worse, quantities are lower
or higher, and counts are fewer or more.
"""

from __future__ import annotations

from evref_mcp.records import Effect

_RATIOS = {"risk_ratio": "RR", "odds_ratio": "OR", "hazard_ratio": "HR", "rate_ratio": "rate ratio"}
_SCORES = ("points", "grade", "% of the scale", "% of the maximum", "units of the scale")
_COUNTS = (
    *("attacks", "courses", "days", "drinks", "episodes", "events", "exacerbations", "falls"),
    *("headaches", "joints", "lesions", "nights", "people", "seizures", "steps", "stools", "teeth"),
    "visits",
)


def sentence(effect: Effect) -> str:
    """Return the effect without a full stop, with its figures.

    Such as “Death: less often, HR 0.7 (95 % interval 0.61 to 0.81) vs placebo; 3 studies”.
    """
    parts = [
        (
            f"{effect.outcome}: {_direction(effect)}{_size(effect)} ({_interval(effect)}) vs "
            f"{effect.comparison}"
        ),
        ", ".join(
            f"{number:,} {one if number == 1 else many}"
            for number, one, many in (
                (effect.studies, "study", "studies"),
                (effect.participants, "person", "people"),
            )
            if number is not None
        ),
        ""
        if effect.certainty == "not_graded"
        else f"{effect.certainty.replace('_', ' ')} certainty",
    ]
    return "; ".join(filter(None, parts))


def _direction(effect: Effect) -> str:
    if effect.interval is None or effect.favours != "neither":
        return _side(effect, effect.estimate) or "no clear difference"
    limits = (0.9, 1.1) if effect.measure in _RATIOS else (-0.2, 0.2)
    has_limits = effect.measure in _RATIOS or effect.measure == "standardised_mean_difference"
    is_narrow = limits[0] <= effect.interval.low and effect.interval.high <= limits[1]
    return "about the same" if has_limits and is_narrow else "no clear difference"


def _size(effect: Effect) -> str:
    estimate = effect.estimate
    ratio = f", {_RATIOS[effect.measure]} {_text(estimate)}" if effect.measure in _RATIOS else ""
    if effect.per_1000 is not None:
        after, before = effect.per_1000.intervention, effect.per_1000.comparison
        return f", {_text(after)} instead of {_text(before)} in 1,000{ratio}"
    if ratio or not estimate:
        return ratio
    scale, of, whole = (effect.unit or "SD").partition(" of ")
    amount = f"of {whole} {scale}" if of and whole.isdecimal() else f"{scale}{of}{whole}"
    is_unclear = effect.interval is not None and effect.favours == "neither"
    side = f", {_side(effect, estimate)}" if is_unclear else ""
    return f"{side} by {_text(abs(estimate))} {amount}"


def _interval(effect: Effect) -> str:
    if effect.interval is None:
        return "95 % interval not stated"
    low, high = effect.interval.low, effect.interval.high
    if effect.measure in _RATIOS:
        ends = [_text(low), _text(high)]
    elif low * high > 0:
        ends = [_text(end) for end in sorted((abs(low), abs(high)))]
    else:
        ends = [f"{_text(abs(end))} {_side(effect, end)}".strip() for end in (low, high)]
    return f"95 % interval {' to '.join(ends)}"


def _side(effect: Effect, value: float) -> str:
    """Return the word for a value on this side of no effect; nothing for no effect."""
    no_effect = 1 if effect.measure in _RATIOS else 0
    unit = effect.unit or "points"
    if value == no_effect:
        return ""
    if effect.measure in _RATIOS or effect.measure == "risk_difference":
        return "less often" if value < no_effect else "more often"
    if unit == "SD" or unit.startswith(_SCORES):
        is_good = (value < no_effect) is (effect.better == "lower")
        return "better" if is_good else "worse"
    if unit.startswith(_COUNTS):
        return "fewer" if value < no_effect else "more"
    return "lower" if value < no_effect else "higher"


def _text(number: float) -> str:
    return f"{number:,.9g}"
