"""Remarks on requested codes, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.matching import Match, Relation
from evref.domain.catalogue.vocabulary import MEANINGS


def doubts(matches: Iterable[Match]) -> dict[str, str]:
    """Return why a diagnosis is found only approximately, by id: how it is recorded, or how its
    code fits.
    """
    certain = set()
    reasons: dict[str, str] = {}
    for match in matches:
        for fit in match.fits:
            if fit.relation is Relation.CERTAIN:
                certain.add(fit.diagnosis_id)
            doubt = match.code.qualifier or Relation.APPROXIMATE
            reasons.setdefault(fit.diagnosis_id, MEANINGS[doubt])
    return {name: reason for name, reason in reasons.items() if name not in certain}


def remarks(matches: Iterable[Match], catalogue: Catalogue) -> Iterator[str]:
    """Yield sentences on codes that were not read or searched, or that mean another condition."""
    for match in matches:
        code = match.code
        if code.read_as is None and code.given:
            yield f"“{code.given}” was not read: it {code.error}"
        elif code.read_as is not None and code.error is not None:
            yield f"{code.given}: {code.error}"
        if match.excluded_from:
            names = (
                catalogue.entry(diagnosis_id).diagnosis.name_within_sentence
                for diagnosis_id in match.excluded_from
            )
            yield f"{code.read_as}: this code means another condition than {' or '.join(names)}"
