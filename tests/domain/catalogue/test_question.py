"""Questions by codes, words and filters: what they find, and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.matching import best_fits
from evref.domain.catalogue.record_code import Classification, RecordCode, read_field, read_part
from evref.domain.catalogue.search.found import Found
from evref.domain.catalogue.search.lists import WITHOUT_LISTS
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.served import Question, Served
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.domain.errors import (
    RemovedDiagnosisError,
    RemovedInterventionError,
    UnknownDiagnosisError,
    UnknownInterventionError,
)
from evref.testing.builders import NOON, a_catalogue, a_diagnosis, a_publication, an_entry
from tests.domain.strategies import catalogues
from tests.pages.site import bundled
from tests.search.bundled import search

modules_or_none = st.none() | st.sampled_from(Module)


def served(catalogue: Catalogue) -> Served:
    return Served(catalogue, Search(catalogue, WITHOUT_LISTS), (), "1")


@cache
def served_bundled() -> Served:
    return Served(bundled(), search(), (), "1")


def ids(found: Found) -> list[str]:
    return [entry.diagnosis.id for entry in found.entries]


def icd10(field: str) -> tuple[RecordCode, ...]:
    return read_field(Classification.ICD_10, field)


def record_codes(texts: str) -> tuple[RecordCode, ...]:
    """Return the codes: those with a letter in second place as ICD-11, the others as ICD-10."""
    return tuple(
        code
        for text in texts.split()
        for code in read_part(Classification("icd11" if text[1].isalpha() else "icd10"), text)
    )


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

    found = served(TWO).find(Question(codes=wanted))

    assert [entry.diagnosis.id for entry in found.entries] == ids
    assert [[fit.diagnosis_id for fit in match.fits] for match in found.matches] == matches
    assert tuple(match.code for match in found.matches) == wanted


NEAR_CODES = ("J45", "J45.0", "J45.01", "G61.0", "G61", "FA01", "FA01.0", "FA01/8C01", "8C01")
near_codes = st.lists(st.sampled_from(NEAR_CODES), max_size=4).map(
    lambda texts: record_codes(" ".join(texts))
)


@given(catalogues(), near_codes, modules_or_none)
def test_find_leaves_out_nothing_that_a_code_finds(
    catalogue: Catalogue, codes: tuple[RecordCode, ...], module: Module | None
) -> None:
    found = served(catalogue).find(Question(codes=codes, module=module))

    assert found.entries == tuple(
        entry
        for entry in catalogue.entries
        if (not codes or best_fits(Catalogue([entry]).matches(codes)))
        and (module is None or module in entry.diagnosis.enabled_modules)
    )


def test_codes_and_words_must_both_match() -> None:
    """A match has only diagnoses that are found; a remark on a code does not depend on words."""
    found = served_bundled().find(Question(codes=icd10("M17, I10, hello"), words="hypertension"))

    assert ids(found) == ["essential-hypertension"]
    assert [[fit.diagnosis_id for fit in match.fits] for match in found.matches] == [
        [],
        ["essential-hypertension"],
        [],
    ]
    assert [hit.diagnosis_id for hit in found.hits] == ["essential-hypertension"]
    (remark,) = found.remarks
    assert remark.startswith("“hello” was not read")


@pytest.mark.parametrize(
    ("codes", "doubts"),
    [
        ("F32.1 G", {}),
        ("F32.1 V", {"depressive-episode": "recorded as suspected"}),
        ("F32.1 V, F32.1 Z", {"depressive-episode": "recorded as suspected"}),
        ("F32.1 V, F32.1", {}),
        ("F32.1, F32.1 V", {}),
        (
            "S83.5",
            {"anterior-cruciate-ligament-injury": "this code also means other conditions"},
        ),
    ],
)
def test_a_diagnosis_is_in_doubt_if_no_code_certainly_means_it(
    codes: str, doubts: dict[str, str]
) -> None:
    assert served_bundled().find(Question(codes=icd10(codes))).doubts == doubts


@pytest.mark.parametrize(
    ("codes", "remark"),
    [
        ("F32.1 A", "F32.1 A: A means excluded: not searched"),
        ("S83.521A", "S83.521A: this code means another condition than anterior cruciate ligament"),
        ("F41", "F41 is wider; it includes generalised anxiety disorder (F41.1) and panic "),
        ("M54.-", "M54 is wider; it includes low back pain (M54.5, M54.9), "),
        ("S72", "S72 is wider; it includes hip fracture (S72.0, S72.1, S72.2)"),
    ],
)
def test_remarks_say_what_became_of_a_code(codes: str, remark: str) -> None:
    found = served_bundled().find(Question(codes=icd10(codes)))

    assert found.entries == ()
    assert any(said.startswith(remark) for said in found.remarks)


def test_words_of_a_record_are_read_more_strictly() -> None:
    asked = served_bundled().find(Question(words="knee pain"))
    recorded = served_bundled().find(Question(words="knee pain", is_of_record=True))

    assert asked.umbrella is not None
    assert "knee-osteoarthritis" in ids(asked)
    assert recorded == Found(())


def test_joined_questions_find_what_any_of_them_finds() -> None:
    one, other = (
        served_bundled().find(question)
        for question in (Question(words="gout"), Question(codes=icd10("M17, B05, M10")))
    )

    joined = Found.joined([one, other])

    assert ids(joined) == ["gout", "knee-osteoarthritis"]
    assert joined.matches == other.matches
    assert joined.hits == one.hits
    assert Found.joined([]) == Found(())


# Interventions


def test_without_words_interventions_are_in_the_order_of_the_cards() -> None:
    answers = served_bundled().answers(Question(codes=icd10("I10, M17, B05")))

    entries = [bundled().entry(name) for name in ("essential-hypertension", "knee-osteoarthritis")]
    assert answers.interventions == tuple(
        intervention for entry in entries for intervention in entry.in_card_order()
    )
    assert [len(match.fits) for match in answers.matches] == [1, 1, 0]
    assert answers.hit(answers.interventions[0]).matched_in is None


def test_codes_and_words_and_filters_for_interventions_must_all_match() -> None:
    against = Question(
        codes=icd10("M17, M54.5"),
        words="opioids",
        direction=Direction.AGAINST,
        groups=(CardGroup.ADVISED_AGAINST,),
    )

    answers = served_bundled().answers(against)

    assert answers.interventions
    assert {answer.diagnosis_id for answer in answers.interventions} <= {
        "knee-osteoarthritis",
        "low-back-pain",
    }
    assert {answer.evidence.direction for answer in answers.interventions} == {Direction.AGAINST}


def test_codes_that_find_nothing_leave_no_answers() -> None:
    answers = served_bundled().answers(Question(codes=icd10("B05"), words="opioids"))

    assert answers.interventions == ()


@pytest.mark.parametrize("words", [None, "exercise"])
def test_several_diagnoses_limit_interventions(words: str | None) -> None:
    """The words mean what they mean without the limit."""
    ids = ("gout", "knee-osteoarthritis")

    answers = served_bundled().answers(Question(words=words, diagnosis_ids=ids))

    assert "knee-osteoarthritis" in {answer.diagnosis_id for answer in answers.interventions}
    assert {answer.diagnosis_id for answer in answers.interventions} <= {*ids}


def history(*catalogues: Catalogue) -> Served:
    """Return the last catalogue as served, after a publication of each, one a day."""
    publications = [
        a_publication(catalogue, at=NOON + timedelta(days=day), earlier=earlier)
        for day, (earlier, catalogue) in enumerate(pairwise((Catalogue([]), *catalogues)))
    ]
    return replace(served(catalogues[-1]), publications=tuple(reversed(publications)))


def test_an_intervention_that_was_served_is_removed_alone_or_with_its_diagnosis() -> None:
    """The day is that of the last removal; what came back is not removed."""
    knee, hip = an_entry("knee"), an_entry("hip", name="Hip")
    whole = a_catalogue(knee, hip)
    empty = a_catalogue(replace(knee, interventions=()))
    days = history(whole, a_catalogue(knee), whole, empty)

    for name in ("knee-exercise", "hip-exercise"):
        with pytest.raises(RemovedInterventionError) as removed:
            days.intervention(name)
        assert removed.value.removed_on == (NOON + timedelta(days=3)).date()
    with pytest.raises(RemovedDiagnosisError):
        days.entry("hip")
    assert history(empty, whole).removed_interventions == {}


def test_an_intervention_whose_module_is_not_enabled_is_unknown_and_not_removed() -> None:
    """Also if it was served before the module was disabled."""
    hidden = a_catalogue(an_entry("knee", modules=()))

    for days in (history(hidden), history(a_catalogue(an_entry("knee")), hidden)):
        with pytest.raises(UnknownInterventionError) as unknown:
            days.intervention("knee-exercise")
        assert not isinstance(unknown.value, RemovedInterventionError)


def test_the_bundled_catalogue_keeps_its_licence_when_it_is_served_again() -> None:
    """A rollback to it is not marked as bundled; other catalogues have the operator's licence."""
    other = a_catalogue(an_entry("gout"))
    history = a_publication(TWO), a_publication(other), a_publication(TWO, is_bundled=True)

    for catalogue, licence in ((TWO, BUNDLED_LICENCE), (other, "https://example.org/licence")):
        days = replace(served(catalogue), publications=history)
        assert days.licence("https://example.org/licence") == licence


def test_an_unknown_diagnosis_is_an_error() -> None:
    with pytest.raises(UnknownDiagnosisError):
        served_bundled().answers(Question(diagnosis_ids=("gout", "x")))
