"""Builds catalogues of any size from the bundled one: valid, and the same each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice

from evref.domain.catalogue.catalogue import Catalogue, Entry

SIZES = (1_000, 10_500)
"""Numbers of diagnoses; the larger one is about the number of three- and four-character codes in
ICD-10."""


def scaled(catalogue: Catalogue, diagnoses: int) -> Catalogue:
    """Return the catalogue, extended with copies of its entries under other ids."""
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
