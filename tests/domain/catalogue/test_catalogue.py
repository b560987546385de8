"""Visibility, search by codes, order, uniqueness and age of a catalogue."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Age, Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Phase, listing_order
from evref.domain.catalogue.matching import best_relations
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.errors import InvalidValueError
from evref.testing.builders import (
    a_catalogue,
    a_diagnosis,
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


@given(catalogues())
def test_each_work_is_counted_once(catalogue: Catalogue) -> None:
    """It is counted once even if several visible interventions cite it."""
    works = {
        reference
        for entry in catalogue.entries
        for intervention in entry.visible_interventions()
        for reference in intervention.references
    }

    assert catalogue.work_count == len(works)


@given(entries(), st.data())
def test_the_order_of_interventions_in_an_entry_is_fixed(entry: Entry, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(entry.interventions))

    assert Entry(entry.diagnosis, tuple(shuffled)) == entry


def test_an_entry_rejects_the_interventions_of_another_diagnosis() -> None:
    with pytest.raises(InvalidValueError) as caught:
        Entry(a_diagnosis("asthma"), (an_intervention("x", diagnosis_id="migraine"),))

    assert str(caught.value) == "diagnosis_id: x belongs to migraine"


# Finding diagnoses


GUILLAIN = a_diagnosis(
    "guillain-barre-syndrome",
    name="Guillain-Barré syndrome",
    icd10=("G61.0",),
    icd11=("8C01.0",),
    modules=(Module.HOME,),
)


def record_codes(texts: str) -> tuple[RecordCode, ...]:
    """Return the codes: those with a letter in second place as ICD-11, the others as ICD-10."""
    return tuple(
        code
        for text in texts.split()
        for code in read_part(Classification("icd11" if text[1].isalpha() else "icd10"), text)
    )


@pytest.mark.parametrize(
    ("codes", "module", "admitted"),
    [
        ("G61.0", None, True),
        ("G61", None, False),
        ("J45 G61.0", None, True),
        ("G61.0 G61.0", None, True),
        ("J45 M17", None, False),
        ("8C01.0", None, True),
        ("8C01", None, False),
        ("FA01 8C01.0", None, True),
        ("G61.0 8C01.0", None, True),
        ("8C01.0 J45 G61.01", None, True),
        ("G61.0 FA01", None, True),
        ("J45 8C01.0", None, True),
        ("G61.0 8C01.00", Module.HOME, True),
        ("G61 8C01.00", Module.HOME, True),
        ("G61.0 8C01.00", Module.CONCEPT, False),
    ],
)
def test_a_diagnosis_is_found_if_a_code_and_the_module_match(
    codes: str, module: Module | None, admitted: bool
) -> None:
    entries = a_catalogue(Entry(GUILLAIN, ())).find(record_codes(codes), module)

    assert [entry.diagnosis for entry in entries] == [GUILLAIN] * admitted


TWO = a_catalogue(
    Entry(a_diagnosis("a", name="Alpha", icd10=["M17", "J45.0"], icd11=["FA01&XK8G/FB53"]), ()),
    Entry(a_diagnosis("b", name="Beta", icd10=["M17.1"], icd11=["FA01", "8C01.0"]), ()),
)


@pytest.mark.parametrize(
    ("codes", "ids", "matches"),
    [
        ("M17.11 B05 J45.01", ["a", "b"], [["a", "b"], [], ["a"]]),
        ("M17 M17", ["a"], [["a"], ["a"]]),
        ("FB53.1/FA01.0&XK8G 8C01.0", ["a", "b"], [["a", "b"], ["b"]]),
        ("FA01.0 FA01&XK8G", ["b"], [["b"], ["b"]]),
        ("FB53 FB53/FA01", ["b"], [[], ["b"]]),
        ("8C01.00 M17.1", ["a", "b"], [["b"], ["a", "b"]]),
        ("J45.0 M17.1 FA01", ["a", "b"], [["a"], ["a", "b"], ["b"]]),
        ("B05", [], [[]]),
    ],
)
def test_matches_say_which_diagnoses_each_code_found(
    codes: str, ids: list[str], matches: list[list[str]]
) -> None:
    """Matches are in the given order. The order of the stems of a cluster does not matter."""
    wanted = record_codes(codes)

    entries = TWO.find(wanted)

    assert [entry.diagnosis.id for entry in entries] == ids
    found_by_code = TWO.matches(wanted, entries)
    assert [[fit.diagnosis_id for fit in match.fits] for match in found_by_code] == matches
    assert tuple(match.code for match in found_by_code) == wanted


NEAR_CODES = ("J45", "J45.0", "J45.01", "G61.0", "G61", "FA01", "FA01.0", "FA01/8C01", "8C01")
near_codes = st.lists(st.sampled_from(NEAR_CODES), max_size=4).map(
    lambda texts: record_codes(" ".join(texts))
)


@given(catalogues(), near_codes, modules_or_none)
def test_find_leaves_out_nothing_that_a_code_finds(
    catalogue: Catalogue, codes: tuple[RecordCode, ...], module: Module | None
) -> None:
    assert catalogue.find(codes, module) == tuple(
        entry
        for entry in catalogue.entries
        if (not codes or best_relations(Catalogue([entry]).matches(codes)))
        and (module is None or module in entry.diagnosis.enabled_modules)
    )


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
