"""Visibility, search by codes, order, uniqueness and age of a catalogue."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Age, Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Phase, listing_order
from evref.domain.errors import InvalidValueError
from evref.testing.builders import (
    a_catalogue,
    a_diagnosis,
    a_reference,
    an_entry,
    an_intervention,
)
from tests.domain.strategies import catalogues, entries

modules_or_none = st.none() | st.sampled_from(Module)
phases_or_none = st.none() | st.sampled_from(Phase)


# Visibility


@given(entries(), modules_or_none, phases_or_none)
def test_exactly_the_enabled_interventions_of_the_module_and_phase_are_visible(
    entry: Entry, module: Module | None, phase: Phase | None
) -> None:
    expected = [
        intervention
        for intervention in sorted(entry.interventions, key=listing_order)
        if intervention.module in entry.diagnosis.enabled_modules
        if module in {None, intervention.module}
        if phase in {None, intervention.phase}
    ]

    assert list(entry.visible_interventions(module, phase)) == expected


@pytest.mark.parametrize(
    ("cited", "number"),
    [
        ([("10.1000/a", None), ("10.1000/A", "7")], 1),
        ([("10.1000/a", None), (None, "7"), ("10.1000/b", None)], 3),
    ],
    ids=["same", "different"],
)
def test_a_work_is_counted_once_by_its_address(
    cited: list[tuple[str | None, str | None]], number: int
) -> None:
    """Entries may describe the same work in different words."""
    references = [
        a_reference(title=f"Title {place}", doi=doi, pmid=pmid)
        for place, (doi, pmid) in enumerate(cited)
    ]
    catalogue = a_catalogue(an_entry(interventions=[an_intervention(references=references)]))

    assert catalogue.work_count == number


@given(entries(), st.data())
def test_the_order_of_interventions_in_an_entry_is_fixed(entry: Entry, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(entry.interventions))

    assert Entry(entry.diagnosis, tuple(shuffled)) == entry


def test_an_entry_rejects_the_interventions_of_another_diagnosis() -> None:
    with pytest.raises(InvalidValueError) as caught:
        Entry(a_diagnosis("asthma"), (an_intervention("x", diagnosis_id="migraine"),))

    assert str(caught.value) == "diagnosis_id: x belongs to migraine"


# Order and uniqueness


@given(catalogues(), st.data())
def test_entries_are_ordered_by_name_then_id(catalogue: Catalogue, data: st.DataObject) -> None:
    again = Catalogue(data.draw(st.permutations(catalogue.entries)))
    names = [(entry.diagnosis.name, entry.diagnosis.id) for entry in again.entries]

    assert names == sorted(names)
    assert again.entries == catalogue.entries
    assert again.version == catalogue.version


def test_every_repeated_id_is_named() -> None:
    shared = "shared-exercise"
    doubled = [
        an_entry(name, interventions=[an_intervention(shared, diagnosis_id=name)])
        for name in ("a", "b", "b")
    ]

    with pytest.raises(InvalidValueError) as caught:
        Catalogue(doubled)

    assert str(caught.value) == "id: b is not unique; id: shared-exercise is not unique"


# Age


def checked(diagnosis_id: str, day: str) -> Entry:
    return Entry(a_diagnosis(diagnosis_id, checked_on=date.fromisoformat(day)), ())


def test_the_age_of_a_catalogue_counts_its_entries_by_month_of_check() -> None:
    """The oldest month is first. An entry is overdue a year after its last check."""
    catalogue = Catalogue(
        [
            checked("new", "2026-02-28"),
            checked("just-in-time", "2025-03-01"),
            checked("overdue", "2025-02-28"),
            checked("oldest", "2025-02-01"),
        ]
    )

    assert catalogue.age_on(date(2026, 3, 1)) == Age(
        oldest=date(2025, 2, 1),
        newest=date(2026, 2, 28),
        by_month={"2025-02": 2, "2025-03": 1, "2026-02": 1},
        overdue=("oldest", "overdue"),
    )
