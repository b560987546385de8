"""What people type leads to the right diagnosis, and never to a wrong one."""

from __future__ import annotations

import random
import re
from itertools import chain

import pytest

from evref.adapters.outbound.files import read_lexicon
from evref.domain.catalogue.search.folding import fold
from evref.domain.catalogue.search.names import MatchedBy, Name, names_of
from tests.pages.site import bundled
from tests.search.__main__ import PAGE, with_tables
from tests.search.bundled import search
from tests.search.cases import KINDS, Score, scores

AT_LEAST = {
    "abbreviations": 100,
    "clinical names": 92,
    "misspellings": 94,
    "other languages": 97,
    "phrases": 88,
    "lay names": 71,
    "interventions": 94,
    "what the catalogue lacks": 100,
}
"""Percent of the queries of each kind that must be right."""

NOTHING = [
    "hyperthyroidism",
    "hypotension",
    "diabetes insipidus",
    "TIA",
    "flu",
    "gas",
    "scoliosis",
    "Lyme disease",
    "psoriasis",
    "psorasis",
    "nephritis",
    "malaria",
    "hyperthyrodism",
    "pulmonary hypertension",
    "non-diabetic foot ulcer in leprosy",
    "no asthma",
    "history of stroke",
    "screening for depression",
    "risk of a heart attack",
    "exercise",
    "the",
    "?",
    "Familienanamnese: Gicht",
    "suspected: gout",
    "sore hip at night lying on side",
    "lose weight",
]

FIRST = {
    "MI": "coronary-heart-disease",
    "RA": "rheumatoid-arthritis",
    "ALS": "amyotrophic-lateral-sclerosis",
    "MS": "multiple-sclerosis",
    "COPD": "chronic-obstructive-pulmonary-disease",
    "PE": "pulmonary-embolism",
    "diabetes type two": "type-2-diabetes-mellitus",
    "diabete tipo2": "type-2-diabetes-mellitus",
    "Type-II-Diabetes": "type-2-diabetes-mellitus",
    "C.O.P.D.": "chronic-obstructive-pulmonary-disease",
    "crise d\u2019asthme": "asthma",
    "parkinsons": "parkinson-disease",
    "hyperten": "essential-hypertension",
    "asthma without wheeze": "asthma",
    "no asthma, but gout": "gout",
    "no asthma but gout": "gout",
    "kein Asthma aber Gicht": "gout",
    "Rueckenschmerzen": "low-back-pain",
    "Knie Arthrose": "knee-osteoarthritis",
    "frozenshoulder": "adhesive-capsulitis",
    "knee operation after an ACL tear": "anterior-cruciate-ligament-injury",
}


@pytest.mark.parametrize("kind", dict.fromkeys(KINDS.values()))
def test_the_queries_of_each_kind_find_what_they_must(kind: str) -> None:
    score = scores(search())[kind]

    assert 100 * score.right / score.queries >= AT_LEAST[kind]


def test_nearly_all_queries_lead_on_and_few_find_more_than_one_diagnosis() -> None:
    total = sum(scores(search()).values(), Score())

    assert 100 * total.with_suggestions / total.queries >= 93
    assert total.results / total.queries <= 1.5


@pytest.mark.parametrize("query", NOTHING)
def test_nothing_is_better_than_a_wrong_diagnosis(query: str) -> None:
    assert search().diagnoses(query).hits == ()


@pytest.mark.parametrize("query", FIRST)
def test_the_right_diagnosis_is_the_first(query: str) -> None:
    assert search().diagnoses(query).hits[0].diagnosis_id == FIRST[query]


AROUND = ["{}", "my {} since yesterday", "help with {} please", "patient has {}, what to do"]


@pytest.mark.parametrize("around", AROUND)
def test_every_wider_word_leads_to_its_diagnoses_in_their_order(around: str) -> None:
    for word in read_lexicon().wider:
        named = search().diagnoses(around.format(word.text))

        ids = [hit.diagnosis_id for hit in named.hits]
        assert tuple(ids[: len(word.diagnosis_ids)]) == word.diagnosis_ids, word.text
        assert named.wider is not None
        assert {hit.by for hit in named.hits[: len(word.diagnosis_ids)]} == {MatchedBy.UMBRELLA}


SITUATIONS = [
    "History of {} (situation)",
    "Family history of {} (situation)",
    "Suspected {} (situation)",
    "Screening for {} (procedure)",
    "{} screening",
    "Status post {}",
    "Verdacht auf {}",
    "V. a. {}",
    "Z. n. {}",
    "Familienanamnese {}",
]


def test_situations_as_records_name_them_find_nothing() -> None:
    """They are 500 combinations with names and English terms of the catalogue."""
    draw = random.Random(0)
    terms = [name.text for name in names() if name.language == "en"]
    drawn = [draw.choice(SITUATIONS).format(draw.choice(terms)) for _ in range(500)]

    found = [
        text
        for text in drawn
        if search().diagnoses(text).hits or search().diagnoses_of_record(text)
    ]

    assert found == []


@pytest.mark.parametrize("word", ["Seizure", "Dementia", "Knee pain", "Luftnot"])
def test_a_wider_word_stands_for_no_diagnosis_in_a_record(word: str) -> None:
    assert search().diagnoses_of_record(word) == ()


@pytest.mark.parametrize(
    "text", ["heart atack", "diabetis", "parkinsonn disease", "kne pain", "bels palsy"]
)
def test_a_slip_is_said(text: str) -> None:
    hits = search().diagnoses(text).hits

    assert hits
    assert all(hit.spelling_corrected and not hit.is_whole for hit in hits)


@pytest.mark.parametrize(
    ("text", "diagnosis_id"),
    [
        ("obes", "obesity"),
        ("lymp", "lymphoedema"),
        ("cerebral haem", "intracerebral-haemorrhage"),
        ("cerebrovascular accide", "ischaemic-stroke"),
        ("progressive muscular atrop", "amyotrophic-lateral-sclerosis"),
        ("trouble slee", "chronic-insomnia"),
    ],
)
def test_four_letters_as_typed_begin_a_word(text: str, diagnosis_id: str) -> None:
    """Also where they are fewer, or another word, when spellings are ignored."""
    hits = {hit.diagnosis_id: hit for hit in search().diagnoses(text).hits}

    assert not hits[diagnosis_id].spelling_corrected


def test_an_apostrophe_may_be_left_out() -> None:
    """French and Italian articles may be joined to the word: “crise dasthme”."""
    for entry in bundled().entries:
        for term in chain(*entry.diagnosis.terms.values()):
            typed = re.sub("['\u2019]", "", term)
            found = {hit.diagnosis_id for hit in search().diagnoses(typed).hits}
            assert typed == term or entry.diagnosis.id in found, term


def test_a_term_within_a_longer_query_is_not_a_condition_that_the_catalogue_lacks() -> None:
    """Brittle bone disease is a different condition than osteoporosis (“brittle bones”)."""
    within, other = map(search().diagnoses, ("exercise for brittle bones", "brittle bone disease"))

    assert [hit.diagnosis_id for hit in within.hits] == ["osteoporosis"]
    assert not other.hits


def test_a_word_of_a_condition_that_the_catalogue_lacks_is_no_slip() -> None:
    for text in ("type 2 diabetes without complications", "gout and psoriasis"):
        hits = search().diagnoses(text).hits

        assert hits
        assert not any(hit.spelling_corrected for hit in hits)


@pytest.mark.parametrize("text", ["knee injection", "chest pian", "AKI", "shoulder ache"])
def test_no_suggestion_rests_on_a_word_that_says_little(text: str) -> None:
    suggestions = search().diagnoses(text).suggestions
    suggested = {suggestion.diagnosis_id for suggestion in suggestions}

    assert not suggested & {"community-acquired-pneumonia", "achilles-tendinopathy"}
    assert "systemic-lupus-erythematosus" not in suggested


def names() -> list[Name]:
    """Return all names and terms."""
    lexicon = read_lexicon()
    return [
        name for entry in bundled().entries for name in names_of(entry.diagnosis, lexicon, fold)
    ]


def test_every_name_and_term_finds_its_diagnosis_as_a_whole() -> None:
    """So no word list hides a name of the catalogue."""
    lost = [
        name.text
        for name in names()
        if name.diagnosis_id
        not in {hit.diagnosis_id for hit in search().diagnoses_of_record(name.text) if hit.is_whole}
    ]

    assert lost == []


def test_the_catalogue_has_no_condition_that_the_list_says_it_lacks() -> None:
    known = {frozenset(name.words) for name in names()}
    both = [words for words in read_lexicon().absent if frozenset(words) in known]

    assert both == []


@pytest.mark.parametrize(
    ("query", "matched", "by", "is_whole", "is_corrected"),
    [
        ("Heart attack", "heart attack", MatchedBy.TERM, True, False),
        ("asthma", "Asthma", MatchedBy.NAME, True, False),
        ("acute attack of gout", "acute gout", MatchedBy.TERM, False, False),
        ("fibromyalga", "Fibromyalgia", MatchedBy.NAME, False, True),
        ("slipped lumbar disc", "slipped disc", MatchedBy.TERM, False, False),
    ],
)
def test_a_hit_says_why(
    query: str, matched: str, by: MatchedBy, is_whole: bool, is_corrected: bool
) -> None:
    hit = search().diagnoses(query).hits[0]

    assert (hit.matched, hit.by) == (matched, by)
    assert (hit.is_whole, hit.spelling_corrected) == (is_whole, is_corrected)


def test_only_several_words_without_a_hit_get_suggestions() -> None:
    suggestions = search().diagnoses("can't eat gluten").suggestions
    assert "coeliac-disease" in {suggestion.diagnosis_id for suggestion in suggestions}
    assert len(suggestions) <= 3
    assert search().diagnoses("asthma").suggestions == ()
    assert search().diagnoses("xylophone").suggestions == ()


def test_the_page_has_the_tables_of_today() -> None:
    """`make search-report` writes them."""
    page = PAGE.read_text(encoding="utf-8")

    assert with_tables(page) == page
