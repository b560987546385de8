"""Filtering, visibility, order, uniqueness and version of a catalogue."""

from dataclasses import fields, replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Age, Catalogue
from evref.domain.catalogue.diagnosis import Diagnosis, Module, Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.icd import CodeList, FinerCodes, Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase, listing_order
from evref.domain.catalogue.matching import best_relations
from evref.domain.catalogue.publication import (
    Comparison,
    DiagnosisChange,
    InterventionChange,
    Turn,
)
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.errors import InvalidValueError
from evref.testing.builders import (
    CAUTION,
    a_catalogue,
    a_diagnosis,
    an_effect,
    an_entry,
    an_intervention,
)
from tests.domain.strategies import catalogues, entries

modules_or_none = st.none() | st.sampled_from(Module)
phases_or_none = st.none() | st.sampled_from(Phase)


# Visibility


@given(entries(), modules_or_none, phases_or_none)
def test_what_is_shown_is_enabled_and_of_the_named_module_and_phase_and_nothing_is_left_out(
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
    """However many visible interventions cite it."""
    works = {
        cited
        for entry in catalogue.entries
        for each in entry.visible_interventions()
        for cited in each.references
    }

    assert catalogue.work_count == len(works)


@given(entries(), st.data())
def test_an_entry_lists_in_one_order_whatever_the_order_it_was_given(
    entry: Entry, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(entry.interventions))

    assert Entry(entry.diagnosis, tuple(shuffled)) == entry


def test_an_entry_refuses_the_interventions_of_another_diagnosis() -> None:
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
    """ICD-11's codes have a letter in second place, WHO's ICD-10 a digit."""
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
def test_one_code_of_any_classification_and_the_module_are_enough_and_needed(
    codes: str, module: Module | None, admitted: bool
) -> None:
    """Of those that are given."""
    found = a_catalogue(Entry(GUILLAIN, ())).find(record_codes(codes), module)

    assert [entry.diagnosis for entry in found] == [GUILLAIN] * admitted


TWO = a_catalogue(
    Entry(a_diagnosis("a", name="Alpha", icd10=["M17", "J45.0"], icd11=["FA01&XK8G/FB53"]), ()),
    Entry(a_diagnosis("b", name="Beta", icd10=["M17.1"], icd11=["FA01", "8C01.0"]), ()),
)


@pytest.mark.parametrize(
    ("codes", "found", "matches"),
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
def test_matches_say_what_each_code_found_of_what_is_found_in_the_order_asked(
    codes: str, found: list[str], matches: list[list[str]]
) -> None:
    """A cluster is found by whichever of its stems stands first."""
    wanted = record_codes(codes)

    entries = TWO.find(wanted)

    assert [one.diagnosis.id for one in entries] == found
    said = TWO.matches(wanted, entries)
    assert [[fit.diagnosis_id for fit in match.fits] for match in said] == matches
    assert tuple(match.code for match in said) == wanted


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
def test_the_order_is_by_name_then_id_whatever_the_order_given(
    catalogue: Catalogue, data: st.DataObject
) -> None:
    again = Catalogue(data.draw(st.permutations(catalogue.entries)))
    names = [(entry.diagnosis.name, entry.diagnosis.id) for entry in again.entries]

    assert names == sorted(names)
    assert again.entries == catalogue.entries
    assert again.version == catalogue.version


def test_every_id_that_repeats_is_named() -> None:
    shared = "shared-exercise"
    doubled = [
        an_entry(name, interventions=[an_intervention(shared, diagnosis_id=name)])
        for name in ("a", "b", "b")
    ]

    with pytest.raises(InvalidValueError) as caught:
        Catalogue(doubled)

    assert str(caught.value) == "id: b is not unique; id: shared-exercise is not unique"


# Version

REFERENCE = Reference(
    title="A trial",
    authors="Doe J",
    year=2020,
    source="A journal",
    kind=ReferenceKind.RANDOMISED_TRIAL,
    doi="10.1000/a",
    pmid="1",
    given_url=None,
)
OTHER_REFERENCE = replace(REFERENCE, doi="10.1000/b")
DOSE = FittVp("Daily", "Light", "10 minutes", "Walking", "70 minutes", "Slowly")
EVIDENCE = Evidence(Certainty.LOW, Recommendation.NOT_STATED, Direction.FOR, "Weak")
WALK = Intervention(
    id="pain-walk",
    diagnosis_id="pain",
    module=Module.FITT_VIP,
    phase=Phase.ACUTE,
    title="Walking",
    summary="x" * 80,
    fitt_vp=DOSE,
    evidence=EVIDENCE,
    references=(REFERENCE,),
)
REST = replace(WALK, id="pain-rest", module=Module.HOME, fitt_vp=None, title="Resting")
STRONG_WALK = replace(WALK, evidence=replace(EVIDENCE, recommendation=Recommendation.STRONG_FOR))
PAIN = a_diagnosis("pain", name="Pain")
ENTRY = Entry(PAIN, (WALK, REST))


def with_walk(**changes: object) -> Entry:
    return Entry(PAIN, (replace(WALK, **changes), REST))  # type: ignore[arg-type]


def with_reference(**changes: object) -> Entry:
    return with_walk(references=(replace(REFERENCE, **changes),))  # type: ignore[arg-type]


def with_evidence(**changes: object) -> Entry:
    return with_walk(evidence=replace(EVIDENCE, **changes))  # type: ignore[arg-type]


def with_diagnosis(**changes: object) -> Entry:
    return Entry(replace(PAIN, **changes), (WALK, REST))  # type: ignore[arg-type]


OTHER_PAIN = Entry(
    replace(PAIN, id="ache"),
    (replace(WALK, diagnosis_id="ache"), replace(REST, diagnosis_id="ache")),
)
ONE_FIELD_CHANGED = {
    "Entry.diagnosis": with_diagnosis(name="Ache"),
    "Entry.interventions": Entry(PAIN, (WALK,)),
    "Diagnosis.id": OTHER_PAIN,
    "Diagnosis.name": with_diagnosis(name="pain"),
    "Diagnosis.icd10_codes": with_diagnosis(icd10_codes=(Icd10Code("M17.0"),)),
    "Diagnosis.icd11_codes": with_diagnosis(icd11_codes=(Icd11Code("FA01.0"),)),
    "Diagnosis.enabled_modules": with_diagnosis(enabled_modules=()),
    "Diagnosis.checked_on": with_diagnosis(checked_on=date(2026, 2, 2)),
    "Diagnosis.terms": with_diagnosis(terms={"en": ("ache",)}),
    "Diagnosis.broader_codes": with_diagnosis(broader_codes=("M17",)),
    "Diagnosis.finer_codes": with_diagnosis(finer_codes={CodeList.ICD_10_CM: FinerCodes(("M17",))}),
    "Diagnosis.scope": with_diagnosis(scope="Pain, whatever its cause."),
    "Diagnosis.mainstays": Entry(replace(PAIN, mainstays=("pain-walk",)), (STRONG_WALK, REST)),
    "Diagnosis.reviewed": with_diagnosis(reviewed=Review("A. N. Other", date(2026, 2, 2))),
    "Intervention.id": with_walk(id="pain-walks"),
    "Intervention.diagnosis_id": OTHER_PAIN,
    "Intervention.module": Entry(PAIN, (WALK, replace(REST, module=Module.CONCEPT))),
    "Intervention.phase": with_walk(phase=Phase.CHRONIC),
    "Intervention.title": with_walk(title="Walking!"),
    "Intervention.summary": with_walk(summary="x" * 81),
    "Intervention.fitt_vp": with_walk(fitt_vp=replace(DOSE, time=None)),
    "Intervention.evidence": with_evidence(certainty=Certainty.VERY_LOW),
    "Intervention.cautions": with_walk(cautions="x" * 40),
    "Intervention.effects": with_walk(effects=(an_effect(),)),
    "Intervention.references": with_walk(references=(REFERENCE, OTHER_REFERENCE)),
    **{
        f"FittVp.{field.name}": with_walk(fitt_vp=replace(DOSE, **{field.name: "Else"}))
        for field in fields(FittVp)
    },
    "Evidence.certainty": with_evidence(certainty=Certainty.HIGH),
    "Evidence.recommendation": with_evidence(recommendation=Recommendation.STRONG_FOR),
    "Evidence.direction": with_evidence(direction=Direction.UNCLEAR),
    "Evidence.source_grade": with_evidence(source_grade=None),
    "Reference.title": with_reference(title="Trial"),
    "Reference.authors": with_reference(authors="Roe J"),
    "Reference.year": with_reference(year=2021),
    "Reference.source": with_reference(source="Another journal"),
    "Reference.kind": with_reference(kind=ReferenceKind.COHORT_STUDY),
    "Reference.doi": with_reference(doi="10.1000/b"),
    "Reference.pmid": with_reference(pmid=None),
    "Reference.given_url": with_reference(given_url="https://example.org/"),
}


def test_a_version_is_16_hexadecimal_digits_and_the_same_on_any_machine() -> None:
    assert a_catalogue(ENTRY).version == "5fc10b48fc0bbef1"
    assert ENTRY.version == "501ddff816a07bf4"


def test_every_field_of_the_content_is_tried() -> None:
    """A field that is added to the content without being added here fails this."""
    content = (Entry, Diagnosis, Intervention, FittVp, Evidence, Reference)

    assert {
        f"{part.__name__}.{field.name}" for part in content for field in fields(part)
    } == ONE_FIELD_CHANGED.keys()


@pytest.mark.parametrize("field", ONE_FIELD_CHANGED)
def test_any_one_field_changed_gives_catalogue_and_entry_another_version(field: str) -> None:
    assert a_catalogue(ONE_FIELD_CHANGED[field]).version != a_catalogue(ENTRY).version
    assert ONE_FIELD_CHANGED[field].version != ENTRY.version


HIDING = replace(PAIN, enabled_modules=(Module.FITT_VIP,))


@pytest.mark.parametrize(
    "hidden", [(), (replace(REST, title="Resting well"),), (REST, replace(REST, id="pain-sleep"))]
)
def test_what_is_not_visible_is_no_part_of_the_version_of_an_entry(
    hidden: tuple[Intervention, ...],
) -> None:
    with_rest = Entry(HIDING, (WALK, REST))
    other = Entry(HIDING, (WALK, *hidden))

    assert other.version == with_rest.version
    assert a_catalogue(other).version != a_catalogue(with_rest).version


@given(entries(), entries())
def test_two_entries_have_one_version_only_when_the_same_is_served_of_them(
    one: Entry, other: Entry
) -> None:
    same = (one.diagnosis, one.visible_interventions()) == (
        other.diagnosis,
        other.visible_interventions(),
    )

    assert (one.version == other.version) == same


# Changes


def turned(intervention: Intervention, direction: Direction) -> Intervention:
    evidence = replace(
        intervention.evidence, direction=direction, recommendation=Recommendation.NOT_STATED
    )
    return replace(intervention, evidence=evidence)


def with_interventions(diagnosis_id: str, *interventions: Intervention) -> Entry:
    own = [replace(each, diagnosis_id=diagnosis_id) for each in interventions]
    return an_entry(diagnosis_id, interventions=own)


def test_a_comparison_says_what_readers_see_and_a_turn_of_direction_first() -> None:
    """From for to against before from for to unclear before all else."""
    a, b, c, d = (an_intervention(f"i-{name}") for name in "abcd")
    hidden = an_intervention("hidden", diagnosis_id="kept")
    kept = Entry(a_diagnosis("kept", modules=()), ())
    before = a_catalogue(
        kept,
        an_entry("gone"),
        with_interventions("x-edited", a),
        with_interventions("y-doubted", replace(a, id="y")),
        with_interventions("z-turned", replace(b, id="z-b"), c, d),
    )
    after = a_catalogue(
        replace(kept, interventions=(hidden,)),
        an_entry("new"),
        Entry(
            a_diagnosis("x-edited", terms={"de": ("Neu",)}), before.entry("x-edited").interventions
        ),
        with_interventions("y-doubted", turned(replace(a, id="y"), Direction.UNCLEAR)),
        with_interventions(
            "z-turned",
            replace(b, id="z-b", cautions=CAUTION, title="Another title"),
            turned(c, Direction.AGAINST),
            an_intervention("i-e"),
        ),
    )
    graded = ("evidence.recommendation", "evidence.direction")

    assert after.compared_with(before) == Comparison(
        added=("new",),
        removed=("gone",),
        changed=(
            DiagnosisChange(
                "z-turned",
                record=False,
                interventions_added=("i-e",),
                interventions_removed=("i-d",),
                interventions_changed=(
                    InterventionChange("i-c", graded, Turn(Direction.FOR, Direction.AGAINST)),
                    InterventionChange("z-b", ("title", "cautions"), None),
                ),
            ),
            DiagnosisChange(
                "y-doubted",
                record=False,
                interventions_added=(),
                interventions_removed=(),
                interventions_changed=(
                    InterventionChange("y", graded, Turn(Direction.FOR, Direction.UNCLEAR)),
                ),
            ),
            DiagnosisChange("x-edited", True, (), (), ()),
        ),
    )


@given(catalogues(), catalogues())
def test_a_comparison_names_a_diagnosis_exactly_when_its_version_changed(
    one: Catalogue, other: Catalogue
) -> None:
    """And the other way round it names the same, with added and removed exchanged."""
    before = {entry.diagnosis.id: entry.version for entry in one.entries}
    after = {entry.diagnosis.id: entry.version for entry in other.entries}

    there, back = other.compared_with(one), one.compared_with(other)

    assert {each.diagnosis_id for each in there.changed} == {
        name for name in before.keys() & after.keys() if before[name] != after[name]
    }
    assert (there.added, there.removed) == (back.removed, back.added)
    assert [each.diagnosis_id for each in there.changed] == [
        each.diagnosis_id for each in back.changed
    ]


def checked(diagnosis_id: str, day: str) -> Entry:
    return Entry(a_diagnosis(diagnosis_id, checked_on=date.fromisoformat(day)), ())


def test_the_age_of_a_catalogue_counts_its_entries_by_month_of_check() -> None:
    """By month, oldest first; those are overdue that were not checked for more than a year."""
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
