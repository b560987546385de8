"""Questions find the interventions that answer them; other words find nothing."""

from __future__ import annotations

import re

import pytest

from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.search.folding import written_words_of
from evref.domain.catalogue.search.found import MatchedIn
from tests.pages.site import bundled
from tests.search.bundled import search


@pytest.mark.parametrize(
    ("question", "diagnoses"),
    [
        ("Karpaltunnel Spritze", ["carpal-tunnel-syndrome"]),
        ("Logopädie Schlaganfall", ["ischaemic-stroke"]),
        ("e-cigarettes stop smoking", ["tobacco-dependence"]),
        ("honey dressing diabetic foot", ["diabetic-foot-ulcer"]),
        ("H. pylori iron deficiency", ["iron-deficiency-anaemia"]),
        ("helicobacter iron deficiency anaemia", ["iron-deficiency-anaemia"]),
        ("relaxation tension-type headache", ["tension-type-headache"]),
        ("gout flare CKD", ["gout"]),
        ("Physiotherapie Knie", ["knee-osteoarthritis"]),
        ("exercise neck", ["neck-pain"]),
        ("Kreuzschmerzen Bettruhe", ["low-back-pain"]),
    ],
)
def test_the_likelier_diagnosis_comes_first(question: str, diagnoses: list[str]) -> None:
    answers = search().interventions(question).interventions

    ids = list(dict.fromkeys(intervention.diagnosis_id for intervention in answers))
    assert ids[: len(diagnoses)] == diagnoses


@pytest.mark.parametrize(
    ("question", "other_form"),
    [
        ("comorbidity gout", "comorbidities gout"),
        ("bedsore mattress", "bedsore mattresses"),
        ("prevent falls", "prevention of falls"),
        ("supplement pressure ulcer", "supplementation pressure ulcer"),
        ("Muskelrelaxans Nackenschmerz", "Muskelrelaxans Nackenschmerzen"),
    ],
)
def test_the_forms_of_a_word_find_the_same(question: str, other_form: str) -> None:
    one, other = (search().interventions(text).interventions for text in (question, other_form))

    assert one
    assert one == other


@pytest.mark.parametrize(
    ("treatment", "elsewhere"),
    [
        ("ibuprofen", "ibuprofène ibuprofeno ibuprofene"),
        ("amitriptyline", "amitriptyline amitriptilina"),
        ("omeprazole", "oméprazole omeprazol omeprazolo"),
        ("spironolactone", "espironolactona spironolattone"),
        ("levothyroxine", "lévothyroxine levotiroxina"),
        ("semaglutide", "sémaglutide semaglutida"),
        ("chlortalidone", "clortalidona"),
        ("vaccination", "Impfung vaccin vacuna vaccino"),
    ],
)
def test_a_treatment_in_another_language_finds_the_same(treatment: str, elsewhere: str) -> None:
    found = {one.id for one in search().interventions(treatment).interventions}

    assert found
    for name in elsewhere.split():
        assert {one.id for one in search().interventions(name).interventions} == found


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("falls mal de Parkinson", "parkinson-disease-exercise-to-prevent-falls"),
        ("fatigue MS", "multiple-sclerosis-medicines-for-fatigue"),
        (
            "shortness of breath COPD opioids",
            "chronic-obstructive-pulmonary-disease-opioids-for-refractory-breathlessness",
        ),
    ],
)
def test_a_complaint_beside_a_diagnosis_is_asked_about_in_it(question: str, first: str) -> None:
    answers = search().interventions(question)

    assert answers.interventions[0].id == first
    assert len(answers.diagnosis_ids) == 1


@pytest.mark.parametrize(
    ("question", "diagnosis_id", "ignored"),
    [
        ("dizziness migraine", "migraine", ("dizziness",)),
        (
            "xylophone metformin knee osteoarthritis",
            "knee-osteoarthritis",
            ("xylophone", "metformin"),
        ),
    ],
)
def test_another_disease_is_never_the_answer(
    question: str, diagnosis_id: str, ignored: tuple[str, ...]
) -> None:
    """Where nothing of the named diagnosis meets the rest, its whole list is the answer."""
    answers = search().interventions(question)

    assert {answer.diagnosis_id for answer in answers.interventions} == {diagnosis_id}
    assert answers.diagnosis_ids == (diagnosis_id,)
    assert answers.is_alone
    assert answers.ignored == ignored


@pytest.mark.parametrize("question", ["xylophone", "the", "?", "xxxxxxxx"])
def test_words_of_nothing_find_nothing(question: str) -> None:
    assert search().interventions(question).interventions == ()


@pytest.mark.parametrize(
    ("question", "matched_in", "matched"),
    [
        ("CPAP", MatchedIn.TITLE, ("positive airway pressure",)),
        ("ibuprofen knee osteoarthritis", MatchedIn.TITLE, None),
        ("Hexenschuss Röntgen", MatchedIn.TITLE, ("imaging",)),
        ("gout EULAR", MatchedIn.SUMMARY, ("EULAR",)),
        ("knee osteoarthritis", None, ("Knee osteoarthritis",)),
    ],
)
def test_an_answer_says_why(
    question: str, matched_in: MatchedIn | None, matched: tuple[str, ...] | None
) -> None:
    answers = search().interventions(question)
    hit = answers.hit(answers.interventions[0])

    assert hit.matched_in is matched_in
    if matched is not None:
        assert tuple(word.casefold() for word in hit.matched) == tuple(
            word.casefold() for word in matched
        )


def test_a_word_that_nothing_has_is_ignored_beside_a_diagnosis_and_its_intervention() -> None:
    answers = search().interventions("xylophone exercise for knee osteoarthritis")

    assert answers.ignored == ("xylophone",)
    assert answers.interventions[0].diagnosis_id == "knee-osteoarthritis"
    assert search().interventions("xylophone metformin").interventions == ()


def test_a_medicine_finds_its_class_but_no_other_medicine_of_it() -> None:
    texts = [
        f"{intervention.title} {intervention.summary} {intervention.cautions}".casefold()
        for intervention in search().interventions("ibuprofen").interventions
    ]

    assert texts
    for text in texts:
        assert re.search("ibuprofen|nsaid|inflammator|analges|pain relief", text), text


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("stro", "Ischaemic stroke"),
        ("diab", "Type 2 diabetes mellitus"),
        ("herz insuff", "Heart failure"),
        ("cpap", "Positive airway pressure"),
        ("Delir", "Delirium"),
    ],
)
def test_what_is_meant_is_suggested_first(typed: str, name: str) -> None:
    assert search().suggest(typed, 8)[0].name == name
    assert search().suggest(typed[:2], 8) == []


def test_every_title_finds_its_intervention() -> None:
    """Also if words of it name another diagnosis: smoking cessation, in Crohn disease."""
    for entry in bundled().entries:
        for intervention in entry.visible_interventions():
            answers = search().interventions(intervention.title).interventions

            found = [answer.title for answer in answers]
            assert intervention.title in found[:3], intervention.title


def test_facets_choose_the_order_and_need_not_be_met() -> None:
    first = search().interventions("COPD Exazerbation Kortison").interventions[0]
    by_title, all_ = (
        search().interventions(text).interventions for text in ("gout pregnancy", "gout")
    )

    assert first.phase is Phase.ACUTE
    assert {one.id for one in by_title} == {one.id for one in all_}


def test_a_suggestion_matches_and_each_thing_is_offered_once() -> None:
    for typed in ("del", "Herz", "panic", "Herz insuff", "copd", "exercis"):
        suggested = search().suggest(typed, 8)

        assert 0 < len(suggested) <= 8
        assert len({(one.kind, one.diagnosis_id, one.intervention_id) for one in suggested}) == len(
            suggested
        ) or any(one.kind == "wider" for one in suggested)
        for one in suggested:
            shown = " ".join(written_words_of(f"{one.name} {one.matched}"))
            assert all(word in shown for word in written_words_of(typed)), one


def test_a_suggestion_does_not_say_which_term_matches_if_the_name_does() -> None:
    assert [one.matched for one in search().suggest("heart", 8) if one.name == "Heart failure"] == [
        ""
    ]
