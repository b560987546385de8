"""Catalogues of any size, made of the bundled one: valid, and each time the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice

from evref.domain.catalogue.catalogue import Catalogue, Entry

SIZES = (1_000, 10_500)
"""Diagnoses; the larger is about as many as ICD-10 has codes of three and four characters."""


def scaled(catalogue: Catalogue, diagnoses: int) -> Catalogue:
    """The catalogue, and as many copies of its entries under other ids as are missing."""
    return Catalogue(islice(_copies(catalogue.entries), diagnoses))


def _copies(entries: Iterable[Entry]) -> Iterator[Entry]:
    yield from entries
    for number in count(2):
        for entry in entries:
            yield _copy(entry, number)


def _copy(entry: Entry, number: int) -> Entry:
    diagnosis = replace(
        entry.diagnosis,
        id=f"{entry.diagnosis.id}-{number}",
        name=f"{entry.diagnosis.name} {number}",
    )
    return Entry(
        diagnosis,
        tuple(
            replace(intervention, id=f"{intervention.id}-{number}", diagnosis_id=diagnosis.id)
            for intervention in entry.interventions
        ),
    )
