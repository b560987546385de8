"""Retracted works among the references of a catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Catalogue

_STILL_VALID = {"correction", "reinstatement"}


@dataclass(frozen=True, slots=True)
class Retraction:
    """A notice about a work: its DOI and PubMed id, None if unknown, its kind and its date.

    `nature` is as the list words it, such as “Retraction” or “Expression of concern”.
    """

    doi: str | None
    pmid: str | None
    nature: str
    date: str


def retracted(catalogue: Catalogue, notices: Iterable[Retraction]) -> Iterator[str]:
    """Yield each citation of a work that was retracted, or about which concern was expressed.

    A correction or a reinstatement leaves a work valid.
    """
    by_doi: dict[str, list[Retraction]] = {}
    by_pmid: dict[str, list[Retraction]] = {}
    for notice in notices:
        if notice.nature.lower() in _STILL_VALID:
            continue
        if notice.doi is not None:
            by_doi.setdefault(notice.doi.lower(), []).append(notice)
        if notice.pmid is not None:
            by_pmid.setdefault(notice.pmid, []).append(notice)
    for entry in catalogue.entries:
        for intervention in entry.interventions:
            for work in intervention.references:
                notices = [
                    *by_doi.get((work.doi or "").lower(), ()),
                    *by_pmid.get(work.pmid or "", ()),
                ]
                for notice in dict.fromkeys(notices):
                    yield (
                        f"{entry.diagnosis.id}: {intervention.id} cites {work.short_name} "
                        f"({work.url}): {notice.nature.lower()} on {notice.date}"
                    )
