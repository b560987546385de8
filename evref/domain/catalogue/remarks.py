"""Remarks on requested codes, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.matching import Match


def remarks(matches: Iterable[Match], catalogue: Catalogue) -> Iterator[str]:
    """Yield sentences on codes that were not read or searched, that mean another condition, or that
    are wider than codes of the catalogue.
    """

    def name_of(diagnosis_id: str) -> str:
        return catalogue.entry(diagnosis_id).diagnosis.name_within_sentence

    for match in matches:
        code = match.code
        if code.read_as is None and code.given:
            yield f"“{code.given}” was not read: it {code.error}"
        elif code.read_as is not None and code.error is not None:
            yield f"{code.given}: {code.error}"
        if match.excluded_from:
            excluded = " or ".join(map(name_of, match.excluded_from))
            yield f"{code.read_as}: this code means another condition than {excluded}"
        if match.narrower:
            *names, last = (
                f"{name_of(narrower.diagnosis_id)} ({', '.join(narrower.codes)})"
                for narrower in match.narrower
            )
            listed = f"{', '.join(names)} and {last}" if names else last
            yield f"{code.shown} is wider; it includes {listed}"
