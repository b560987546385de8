"""Questions find the interventions that answer them; other words find nothing."""

from __future__ import annotations

import re

import pytest

from evref.domain.catalogue.search.answers import MatchedIn
from tests.pages.site import bundled
from tests.search.bundled import search
from tests.search.cases import QUESTIONS, answered

AT_LEAST = {"answers.tsv": (0.97, 0.86), "fresh-answers.tsv": (0.86, 0.80)}
"""Parts of the questions of each file whose answer is among the first three, and first."""


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_find_what_answers_them(name: str) -> None:
    score = answered(search(), name)

    among_three, first = AT_LEAST[name]
    assert score.among_three >= among_three * score.questions, score.missed
    assert score.first >= first * score.questions


@pytest.mark.parametrize(
    ("question", "diagnoses"),
    [
        ("should I MRI back pain", ["low-back-pain"]),
        ("exercise for incontinence", ["stress-urinary-incontinence", "overactive-bladder"]),
        ("Karpaltunnel Spritze", ["carpal-tunnel-syndrome"]),
        ("Eiseninfusion", ["iron-deficiency-anaemia"]),
        ("PFO closure", ["ischaemic-stroke"]),
        ("Logopädie Schlaganfall", ["ischaemic-stroke"]),
        ("e-cigarettes stop smoking", ["tobacco-dependence"]),
        ("honey dressing diabetic foot", ["diabetic-foot-ulcer"]),
        ("H. pylori iron deficiency", ["iron-deficiency-anaemia"]),
        ("weight loss surgery", ["obesity"]),
        ("helicobacter iron deficiency anaemia", ["iron-deficiency-anaemia"]),
        ("relaxation tension-type headache", ["tension-type-headache"]),
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


def test_a_complaint_that_nothing_of_the_named_diagnosis_has_is_ignored() -> None:
    answers = search().interventions("dizziness migraine")

    assert answers.is_alone
    assert answers.diagnosis_ids == ("migraine",)
    assert answers.ignored == ("dizziness",)


@pytest.mark.parametrize(
    "question", ["xylophone", "xylophone knee osteoarthritis", "the", "?", "xxxxxxxx"]
)
def test_words_of_nothing_find_nothing(question: str) -> None:
    assert search().interventions(question).interventions == ()


@pytest.mark.parametrize(
    ("question", "matched_in", "matched"),
    [
        ("CPAP", MatchedIn.TITLE, ("positive airway pressure",)),
        ("ibuprofen knee osteoarthritis", MatchedIn.TITLE, None),
        ("Hexenschuss Röntgen", MatchedIn.SUMMARY, ("radiography",)),
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
    ],
)
def test_what_is_meant_is_suggested_first(typed: str, name: str) -> None:
    assert search().suggestions(typed, 8)[0].name == name
    assert search().suggestions(typed[:2], 8) == []


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("salbutamol asthma attack", "Inhaled short-acting beta2-agonist in an acute attack"),
        (
            "rotator cuff tear surgery",
            "Surgical repair of a degenerative full-thickness tear rather than exercise",
        ),
    ],
)
def test_a_title_with_more_of_the_words_that_name_the_diagnosis_comes_first(
    question: str, title: str
) -> None:
    assert search().interventions(question).interventions[0].title == title


def test_a_wider_word_that_is_an_intervention_does_not_order_the_diagnoses() -> None:
    """The families and complaints of the catalogue would put coeliac disease first."""
    answers = search().interventions("weight loss")

    assert answers.diagnosis_words == ()
    assert answers.interventions[0].title.startswith("Weight loss")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("carpal tunnel surgery", "carpal-tunnel-syndrome-surgical-release"),
        ("Bandscheibenvorfall Operation", "lumbar-radiculopathy-discectomy"),
    ],
)
def test_of_the_summaries_those_with_more_mentions_come_first(question: str, first: str) -> None:
    """Synonyms count too: the summary on discectomy has surgery, not operation."""
    assert search().interventions(question).interventions[0].id == first


def test_every_title_finds_its_intervention() -> None:
    """Also if words of it name another diagnosis: smoking cessation, in Crohn disease."""
    for entry in bundled().entries:
        for intervention in entry.visible_interventions():
            answers = search().interventions(intervention.title).interventions

            found = [answer.title for answer in answers]
            assert intervention.title in found[:3], intervention.title


def test_titles_of_other_diagnoses_count_if_none_of_the_diagnosis_that_is_named_does() -> None:
    answers = search().interventions("lymph drainage after breast cancer")
    hit = answers.hit(answers.interventions[0])

    assert hit.intervention.id == "lymphoedema-manual-lymphatic-drainage"
    assert hit.matched_in is MatchedIn.TITLE
    assert {word.casefold() for word in hit.matched} == {"lymphatic drainage", "breast", "cancer"}

    named = search().interventions("anticoagulation atrial fibrillation").interventions
    assert {answer.diagnosis_id for answer in named} == {"atrial-fibrillation"}
