"""What the sources say about an intervention, in words: the same ones in every interface."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evref.domain.catalogue.evidence import (
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import Intervention

STRENGTHS = {
    Recommendation.STRONG_FOR: "strong",
    Recommendation.CONDITIONAL_FOR: "conditional",
    Recommendation.CONDITIONAL_AGAINST: "conditional",
    Recommendation.STRONG_AGAINST: "strong",
    Recommendation.NOT_STATED: "unstated",
}

_WITHOUT_RECOMMENDATION = {
    Direction.FOR: "Sources favour it; strength not stated",
    Direction.AGAINST: "Sources find harm or no benefit, or advise against it; strength not stated",
    Direction.UNCLEAR: "Unclear: the sources disagree, or find too little",
}

_KIND_ORDER = {kind: place for place, kind in enumerate(ReferenceKind)}
_KINDS_WITH_A_BODY = {
    ReferenceKind.GUIDELINE,
    ReferenceKind.CONSENSUS_STATEMENT,
    ReferenceKind.SAFETY_NOTICE,
}

_REMARK = re.compile(r"\s*\([^()]{13,}\)")
_YEAR = re.compile(r"\b(?:1[89]|2[01])[0-9]{2}\b")
_STATEMENT = re.compile(r"(?:\([^()]*\)|(?!; |\. [A-Z]).)+")
_ALLIANCE = re.compile(r"\b([\w-]+)(?:/[\w-]+){2,}")
_AFTER_A_COMMA = re.compile(r",(?![^(]*\)).*")
_NAME = re.compile(r"[A-Z][\w-]+")


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
    return f"{sources} {advice} ({STRENGTHS[evidence.recommendation]})"


def deciding_source(evidence: Evidence) -> str | None:
    """Return the source that decides, such as “ACR/AF 2019 (superseded)”; None if not named."""
    if evidence.superseded:
        return f"{evidence.source or 'not named'} (superseded)"
    return evidence.source


def source(intervention: Intervention) -> str:
    """Return the main source of the intervention on one line, always with a year.

    It is the grade in the words of the source, such as “Class 1, level A · AHA 2022”: of several
    statements the first, which decides, without its longer remarks in parentheses, and of three or
    more bodies the first. Without a grade it is the kind and the year of the work that weighs most,
    such as “Cochrane review 2021”.
    """
    grade = intervention.evidence.source_grade
    if grade is None:
        return _work(intervention.references)
    statement = "".join(_STATEMENT.findall(grade)[:1]) or grade
    issuer, colon, words = statement.partition(": ")
    if not colon:
        return _with_year(statement, " · ", statement, intervention.references)
    body = _ALLIANCE.sub(r"\1", _AFTER_A_COMMA.sub("", issuer))
    words = _REMARK.sub("", words).replace("level of evidence", "level")
    words = words[:1].upper() + words[1:]
    return f"{words} · {_with_year(body, ' ', issuer, intervention.references)}"


def _with_year(text: str, joint: str, words: str, works: Sequence[Reference]) -> str:
    """Return the text with the year in these words, or else with the year of the matching work."""
    if _YEAR.search(text):
        return text
    named = _YEAR.search(words)
    return f"{text}{joint}{named[0] if named else _fitting(words, works).year}"


def _fitting(words: str, works: Sequence[Reference]) -> Reference:
    """Return the work with all these names, else with the first name, else the first work."""
    names = _NAME.findall(words)
    for wanted in (names, names[:1]):
        for work in works:
            text = f"{work.short_name} {work.authors} {work.source} {work.title}"
            initials = "".join(name[0] for name in _NAME.findall(text))
            if wanted and all(name in text or name in initials for name in wanted):
                return work
    return works[0]


def _work(works: Sequence[Reference]) -> str:
    work = min(works, key=lambda work: (_KIND_ORDER[work.kind], -work.year))
    kind = work.kind.replace("_", " ")
    if work.kind in _KINDS_WITH_A_BODY:
        return f"{kind}, {work.short_name}"
    if work.kind is ReferenceKind.SYSTEMATIC_REVIEW and "Cochrane" in work.source:
        kind = "Cochrane review"
    return f"{kind} {work.year}"
