"""What there is to say about a code that was asked for, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.matching import Match


def remarks(matches: Iterable[Match], catalogue: Catalogue) -> Iterator[str]:
    """Yield which codes were not read or not searched, and which mean another condition."""
    for match in matches:
        code = match.code
        if code.read_as is None and code.given:
            yield f"“{code.given}” was not read: it {code.error}"
        elif code.read_as is not None and code.error is not None:
            yield f"{code.given}: {code.error}"
        if match.excluded_from:
            names = (
                catalogue.entry(each).diagnosis.name_within_sentence for each in match.excluded_from
            )
            yield f"{code.read_as}: this code means another condition than {' or '.join(names)}"
