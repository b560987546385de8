"""A publication of a catalogue, and what the publications of the past tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from evref.domain.catalogue.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication of a catalogue: version, time, publisher, and changes.

    `added`, `changed` and `removed` count diagnoses relative to the previous catalogue.
    `published_by` is the operating system's name of the user, or None if unknown. `is_bundled` is
    whether it is the catalogue of the package, published as such. `comparison` is with the
    previous catalogue; None if that was no longer stored when comparisons were introduced.
    """

    version: str
    published_at: datetime
    published_by: str | None
    is_bundled: bool
    added: int
    changed: int
    removed: int
    comparison: Comparison | None


def is_bundled(version: str, publications: Iterable[Publication]) -> bool:
    """Return whether the catalogue of this version was published as that of the package."""
    return any(
        publication.is_bundled for publication in publications if publication.version == version
    )


def removed_on(diagnosis_id: str, newest_first: Iterable[Publication]) -> date | None:
    """Return the UTC day of the last removal of a diagnosis; None if no publication has one."""
    for publication in newest_first:
        if publication.comparison and diagnosis_id in publication.comparison.removed:
            return publication.published_at.date()
    return None


def changes_of(
    diagnosis_id: str, newest_first: Iterable[Publication]
) -> Iterable[tuple[Publication, Comparison]]:
    """Yield the publications that changed a diagnosis, with the comparison of it alone."""
    for publication in newest_first:
        if publication.comparison is None:
            continue
        whole = publication.comparison
        part = Comparison(
            tuple(name for name in whole.added if name == diagnosis_id),
            tuple(name for name in whole.removed if name == diagnosis_id),
            tuple(changed for changed in whole.changed if changed.diagnosis_id == diagnosis_id),
        )
        if part.added or part.removed or part.changed:
            yield publication, part
