"""The drawings of an effect: its interval on an axis, and its events in a field of 1,000 dots.

They are readable in print and without colour, because elements differ in shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evref.domain.catalogue.effect import Better, Effect

WIDTH, _MARGIN = 240, 8
_DOTS_A_ROW, _STEP, _DOTS = 50, 5, 1000


@dataclass(frozen=True, slots=True)
class Axis:
    """The positions on the axis, from the left; `alternative` is the text alternative."""

    estimate: float
    low: float
    high: float
    no_effect: float
    better_is_left: bool
    alternative: str


@dataclass(frozen=True, slots=True)
class Field:
    """The SVG paths of all dots, of the events with and without the intervention, and of the
    difference.
    """

    everybody: str
    both: str
    difference: str
    legend: str


def axis(effect: Effect) -> Axis:
    """Return the positions; the axis of a ratio is logarithmic, so 0.5 and 2 are equally far from
    1.
    """
    scale = math.log if effect.measure.is_ratio else float
    estimate = scale(float(effect.estimate))
    low = high = estimate
    if effect.interval is not None:
        low, high = (scale(float(end)) for end in (effect.interval.low, effect.interval.high))
    no_effect = scale(effect.measure.no_effect)
    first, last = min(low, no_effect), max(high, no_effect)
    room = (WIDTH - 2 * _MARGIN) / (last - first or 1)

    def place(value: float) -> float:
        return round(_MARGIN + (value - first) * room, 1)

    return Axis(
        place(estimate),
        place(low),
        place(high),
        place(no_effect),
        better_is_left=effect.better is Better.LOWER,
        alternative=_alternative(effect),
    )


def _alternative(effect: Effect) -> str:
    no_effect = effect.measure.no_effect
    if effect.interval is None:
        place = "no interval is stated"
    elif effect.interval.holds(no_effect):
        place = "the interval holds no effect"
    else:
        side = "left" if effect.estimate < no_effect else "right"
        place = f"the whole interval is on the {side} of no effect"
    return f"Drawn: {place}; better is {'left' if effect.better is Better.LOWER else 'right'}"


def field(effect: Effect) -> Field | None:
    """Return the field of dots; None if the number of events in 1,000 people is unknown."""
    if effect.per_1000 is None:
        return None
    without, with_it = (
        round(events) for events in (effect.per_1000.comparison, effect.per_1000.intervention)
    )
    fewest, most = sorted((without, with_it))
    one, other = ("with", "without") if with_it < without else ("without", "with")
    return Field(
        _dots(0, _DOTS),
        _dots(0, fewest),
        _dots(fewest, most),
        f"●\N{NO-BREAK SPACE}{fewest} {one} it, ○\N{NO-BREAK SPACE}{most - fewest} more {other} it",
    )


def _dots(first: int, end: int) -> str:
    """Return an SVG path along the rows of these dots, which round dashes draw."""
    rows = []
    while first < end:
        row, column = divmod(first, _DOTS_A_ROW)
        number = min(_DOTS_A_ROW - column, end - first)
        # Slightly longer than the distance between the first and the last dot, to draw the last
        # one.
        length = _STEP * (number - 1) + 0.1
        rows.append(f"M{_STEP * column + 3} {_STEP * row + 3}h{length:g}")
        first += number
    return "".join(rows)
