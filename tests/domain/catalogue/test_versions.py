"""Versions of catalogues and entries, and comparisons of two catalogues."""

from dataclasses import replace

import pytest
from hypothesis import given

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.domain.catalogue.publication import (
    Comparison,
    DiagnosisChange,
    InterventionChange,
    Turn,
)
from evref.testing.builders import (
    CAUTION,
    a_catalogue,
    a_diagnosis,
    an_entry,
    an_intervention,
)
from tests.domain.strategies import catalogues, entries

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
PAIN = a_diagnosis("pain", name="Pain")
ENTRY = Entry(PAIN, (WALK, REST))


def test_a_version_is_16_hexadecimal_digits_and_the_same_on_any_machine() -> None:
    assert a_catalogue(ENTRY).version == "5fc10b48fc0bbef1"
    assert ENTRY.version == "501ddff816a07bf4"


def test_an_id_is_part_of_the_version() -> None:
    """tests/docs/test_fields.py changes each other field."""
    ache = replace(PAIN, id="ache")
    interventions = (replace(WALK, diagnosis_id="ache"), replace(REST, diagnosis_id="ache"))

    assert Entry(ache, interventions).version != ENTRY.version
    assert Entry(PAIN, (WALK,)).version != ENTRY.version


HIDING = replace(PAIN, enabled_modules=(Module.FITT_VIP,))


@pytest.mark.parametrize(
    "hidden", [(), (replace(REST, title="Resting well"),), (REST, replace(REST, id="pain-sleep"))]
)
def test_hidden_interventions_do_not_change_the_version_of_an_entry(
    hidden: tuple[Intervention, ...],
) -> None:
    with_rest = Entry(HIDING, (WALK, REST))
    other = Entry(HIDING, (WALK, *hidden))

    assert other.version == with_rest.version
    assert a_catalogue(other).version != a_catalogue(with_rest).version


@given(entries(), entries())
def test_entries_have_the_same_version_exactly_when_the_same_is_served(
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
    own = [replace(intervention, diagnosis_id=diagnosis_id) for intervention in interventions]
    return an_entry(diagnosis_id, interventions=own)


def test_a_comparison_has_visible_changes_and_turns_of_direction_first() -> None:
    """A turn from for to against is before a turn from for to unclear, and all else is last."""
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

    comparison = after.compared_with(before)

    assert comparison.removals == ("gone", "i-d")
    assert comparison.removals_in_words == "1 diagnosis and 1 intervention"
    assert comparison == Comparison(
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
        removed_with_them=("gone-exercise",),
    )


@given(catalogues(), catalogues())
def test_a_comparison_names_a_diagnosis_exactly_when_its_version_changed(
    one: Catalogue, other: Catalogue
) -> None:
    """The opposite comparison has the same diagnoses, with added and removed exchanged."""
    before = {entry.diagnosis.id: entry.version for entry in one.entries}
    after = {entry.diagnosis.id: entry.version for entry in other.entries}

    there, back = other.compared_with(one), one.compared_with(other)

    assert {change.diagnosis_id for change in there.changed} == {
        name for name in before.keys() & after.keys() if before[name] != after[name]
    }
    assert (there.added, there.removed) == (back.removed, back.added)
    assert [change.diagnosis_id for change in there.changed] == [
        change.diagnosis_id for change in back.changed
    ]
