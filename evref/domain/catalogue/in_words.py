"""Evidence and effects in words: the same ones in every interface.

Words for an effect follow from the sign of the estimate and from which values are good for the
person, so that no effect reads backwards: events happen less or more often, scores are better or
worse, physical quantities are lower or higher, and counts are fewer or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from evref.domain.catalogue.effect import Effect, Favours, Measure, Unit
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.rules import counted

_WITHOUT_RECOMMENDATION = {
    Direction.FOR: "Sources favour it; strength not stated",
    Direction.AGAINST: "Sources find harm or no benefit, or advise against it; strength not stated",
    Direction.UNCLEAR: "Unclear: the sources disagree, or find too little",
}

_KIND_ORDER = {kind: index for index, kind in enumerate(ReferenceKind)}

_NEXT_SOURCE = re.compile(r"; (?=[A-Z](?=[^:]*(?:19|20)[0-9]{2})(?:[^;:()]|\([^()]*\))*: )")
_SOURCE = re.compile(r"\s*\((?:[^()]*\b(?:19|20)[0-9]{2}[^()]*|[A-Z][A-Z0-9-]+)\)")
"""The source of an element of a dose: an author or a body with the year, or a trial."""
_ENOUGH, _LONGEST_DOSE = 2, 110

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


def verdict(intervention: Intervention) -> str:
    """Return what the sources say about the intervention, and the strength of the recommendation.

    Such as “Guidelines advise against it (strong)”. The text says “Guidelines” only if a reference
    is a guideline.
    """
    evidence = intervention.evidence
    if evidence.recommendation is Recommendation.NOT_STATED:
        return _WITHOUT_RECOMMENDATION[evidence.direction]
    kinds = {reference.kind for reference in intervention.references}
    sources = "Guidelines" if ReferenceKind.GUIDELINE in kinds else "Sources"
    advice = "recommend it" if evidence.direction is Direction.FOR else "advise against it"
    return f"{sources} {advice} ({evidence.recommendation.strength})"


def source(intervention: Intervention) -> str:
    """Return the short name and the year of the source that decides, such as “ESC 2023”.

    If none is named, it is the kind and the year of the newest of the works of the strongest kind,
    such as “guideline 2020”.
    """
    evidence = intervention.evidence
    work = min(intervention.references, key=lambda work: (_KIND_ORDER[work.kind], -work.year))
    named = evidence.source or f"{work.kind.replace('_', ' ')} {work.year}"
    return f"{named}, replaced" if evidence.superseded else named


def said(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield each source that states a grade, with its words; the source is empty if not named."""
    for statement in _NEXT_SOURCE.split(evidence.source_grade) if evidence.source_grade else ():
        body, colon, words = statement.partition(": ")
        yield (body, words) if colon else ("", statement)


def dose(fitt_vp: FittVp) -> str:
    """Return the dose on one line: frequency, intensity and time, without their sources.

    The volume is added if fewer than two of them are stated. Elements that make the line too long
    are left out.
    """
    stated = [text for text in (fitt_vp.frequency, fitt_vp.intensity, fitt_vp.time) if text]
    if len(stated) < _ENOUGH and fitt_vp.volume:
        stated.append(fitt_vp.volume)
    line = ""
    for text in stated:
        without_source = _SOURCE.sub("", text)
        if line and len(line) + len(without_source) > _LONGEST_DOSE:
            break
        first = without_source[0]
        line += f" · {first.lower()}{without_source[1:]}" if line else without_source
    return line[:1].upper() + line[1:] or "No dose stated"


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
