"""The drawings of effects: estimate and interval on an axis, with one scale a unit over a page.

Values that are better for the person are always on the right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from evref.domain.catalogue.effect import Better, Effect, Favours
from evref.domain.catalogue.intervention import Intervention

_WIDTH, _MARGIN = 440, 10
_RATIOS = (0.0625, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8, 16)
_MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """The values between which a unit is drawn, with their sign turned so that more is better."""

    worst: float
    best: float
    step: float | None
    """The distance of ticks; None on the logarithmic scale of ratios."""

    def place(self, value: float) -> int:
        """Return the distance of a value from the left edge, at most that of an end."""
        share = (min(max(value, self.worst), self.best) - self.worst) / (self.best - self.worst)
        return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN))

    def ticks(self, better: Better) -> list[tuple[int, str]]:
        """Return the place and the number of each tick."""
        if self.step is not None:
            first, last = round(self.worst / self.step), round(self.best / self.step)
            return [
                (self.place(number * self.step), f"{abs(number * self.step):.9g}")
                for number in range(first, last + 1)
            ]
        values = [(_turned(math.log(ratio), better), f"{ratio:g}") for ratio in _RATIOS]
        within = [tick for tick in values if self.worst - 1e-9 <= tick[0] <= self.best + 1e-9]
        every = 2 if len(within) > 2 * _MOST_TICKS else 1
        return [(self.place(value), text) for value, text in within[::every]]


def unit(effect: Effect) -> str:
    """Return the unit of the axis, which heads the drawings."""
    if effect.measure.is_ratio:
        return "Ratio; 1 is no difference"
    name = effect.unit or "standard deviations"
    return name[0].upper() + name[1:]


def scales(interventions: Iterable[Intervention]) -> dict[str, Scale]:
    """Return the scale of each unit for all effects of the interventions."""
    values: dict[str, list[float]] = {}
    for intervention in interventions:
        for effect in intervention.effects:
            values.setdefault(unit(effect), []).extend(_values(effect))
    return {name: _scale(name, every) for name, every in values.items()}


def by_unit(effects: Iterable[Effect]) -> dict[tuple[str, Better], list[Effect]]:
    """Return effects by what can share an axis: the unit and, of ratios, what is better."""
    figures: dict[tuple[str, Better], list[Effect]] = {}
    for effect in effects:
        better = effect.better if effect.measure.is_ratio else Better.HIGHER
        figures.setdefault((unit(effect), better), []).append(effect)
    return figures


def path(effect: Effect, scale: Scale) -> str:
    """Return the SVG path of the estimate and of its interval."""
    estimate, *ends = map(scale.place, _values(effect))
    interval = "M{} 5v8m0-4H{}m0-4v8".format(*sorted(ends)) if ends else ""
    return f"{interval}M{estimate} 5l4 4-4 4-4-4z"


def tone(effect: Effect) -> str:
    """Return the class of the colour: good, bad, or none if there may be no effect."""
    return {Favours.INTERVENTION: "good", Favours.COMPARISON: "bad"}.get(effect.favours, "none")


def _values(effect: Effect) -> list[float]:
    """Return the estimate and the ends of the interval."""
    numbers: list[Decimal] = [effect.estimate, *(effect.interval or ())]
    to_scale = math.log if effect.measure.is_ratio else float
    return [_turned(to_scale(float(number)), effect.better) for number in numbers]


def _turned(value: float, better: Better) -> float:
    return value if better is Better.HIGHER else -value


def _scale(name: str, values: list[float]) -> Scale:
    worst, best = min(0.0, *values), max(0.0, *values)
    if name.startswith("Ratio"):
        # One tick on each side of 1, up to the widest.
        least, most = math.log(2), math.log(_RATIOS[-1])
        return Scale(max(min(worst, -least), -most), min(max(best, least), most), None)
    rough = (best - worst) / (_MOST_TICKS - 1) or 1
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return Scale(
        -step * max(math.ceil(-worst / step), 1), step * max(math.ceil(best / step), 1), step
    )
