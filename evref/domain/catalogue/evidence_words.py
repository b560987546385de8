"""What the sources say about an intervention, in words: the same ones in every interface."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evref.domain.catalogue.evidence import (
    Direction,
    Evidence,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import FittVp, Intervention

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
