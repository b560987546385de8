"""What people type leads to the right diagnosis, and never to a wrong one."""

from __future__ import annotations

import random
import re
import string
from itertools import chain

import pytest

from evref.adapters.outbound.files import read_word_lists
from evref.domain.catalogue.search.found import MatchedBy, Piece, ReadAs
from evref.domain.catalogue.search.lexicon import names_of
from tests.pages.site import bundled
from tests.search.bundled import search


def found(text: str) -> list[str]:
    return [hit.diagnosis_id for hit in search().diagnoses(text).hits]


NOTHING = [
    "hyperthyroidism",
    "psorasis",
    "the",
    "?",
    "exercise",
    "no asthma",
    "history of stroke",
    "Familienanamnese: Gicht",
    "suspected: gout",
    "V. a. Gicht",
    "pulmonale Hypertonie",
    "vascular dementia",
    "anémie pernicieuse",
    "septic arthritis",
    "kidney cancer",
    "CRP",
    "PSA",
    "PMDD",
    "lipoid pneumonia",
    "V-fib",
    "größer als üblich",
    "cold",
    "feeling sad",
    "macrocytic anaemia",
    "bronchitis",
]

FIRST = {
    "MI": "coronary-heart-disease",
    "A-fib": "atrial-fibrillation",
    "br ca": "breast-cancer",
    "PsA": "psoriatic-arthritis",
    "als": "amyotrophic-lateral-sclerosis",
    "C.O.P.D.": "chronic-obstructive-pulmonary-disease",
    "diabetes type two": "type-2-diabetes-mellitus",
    "crise d\u2019asthme": "asthma",
    "parkinsons": "parkinson-disease",
    "no asthma, but gout": "gout",
    "kein Asthma aber Gicht": "gout",
    "Rueckenschmerzen": "low-back-pain",
    "Knie Arthrose": "knee-osteoarthritis",
    "osteo arthritis of the knee": "knee-osteoarthritis",
    "Delir Prophylaxe": "delirium",
    "Delirprophylaxe": "delirium",
    "COPD Risiko": "chronic-obstructive-pulmonary-disease",
    "asthma child": "asthma",
    "exercise for knee osteoarthritis": "knee-osteoarthritis",
    "athsma": "asthma",
    "fibromialgia": "fibromyalgia",
    "chronic bronchitis": "chronic-obstructive-pulmonary-disease",
    "Krankengymnastik Rücken": "low-back-pain",
    "knee exercise": "knee-osteoarthritis",
}


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_better_than_a_wrong_diagnosis(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", FIRST)
def test_the_right_diagnosis_is_the_first(text: str) -> None:
    assert found(text)[0] == FIRST[text]


def test_a_name_that_a_word_beside_it_changes_is_suggested() -> None:
    suggestions = search().diagnoses("pulmonale Hypertonie").suggestions

    assert [suggestion.diagnosis_id for suggestion in suggestions] == ["essential-hypertension"]


def test_every_name_and_term_finds_its_diagnosis_as_a_whole() -> None:
    """So no word list hides a name of the catalogue."""
    lost = [
        name.text
        for entry in bundled().entries
        for name, form in names_of(entry.diagnosis)
        if (entry.diagnosis.id, True)
        not in {(hit.diagnosis_id, hit.is_whole) for hit in search().diagnoses(form).hits}
    ]

    assert lost == ["RDS"]  # It more often means another condition.


def test_every_name_finds_its_diagnosis_in_a_record() -> None:
    lost = [
        entry.diagnosis.name
        for entry in bundled().entries
        if entry.diagnosis.id
        not in {hit.diagnosis_id for hit in search().diagnoses_of_record(entry.diagnosis.name).hits}
    ]

    assert lost == []


@pytest.mark.parametrize("around", ["{}", "my {} since yesterday", "help with {} please"])
def test_every_wider_word_leads_to_its_diagnoses_in_their_order(around: str) -> None:
    """A diagnosis of the same name comes first: constipation."""
    lists = read_word_lists()
    for kind, texts, ids in lists.named:
        for text in texts if kind.is_wider and lists.alone.isdisjoint(texts) else ():
            named = search().diagnoses(around.format(text))

            by_umbrella = [hit for hit in named.hits if hit.by is MatchedBy.UMBRELLA]
            own = {hit.diagnosis_id for hit in named.hits if hit.by is not MatchedBy.UMBRELLA}
            found = tuple(hit.diagnosis_id for hit in by_umbrella)
            assert found == tuple(id_ for id_ in ids if id_ not in own), text
            assert named.umbrella is not None, text


def test_a_part_of_the_body_counts_only_if_nothing_else_is_asked() -> None:
    lists = read_word_lists()
    for _, texts, ids in lists.named:
        for text in texts if lists.alone.issuperset(texts) else ():
            assert found(text) == list(ids), text
            assert set(found(f"{text} xylophone")).isdisjoint(ids), text


SITUATIONS = [
    "History of {} (situation)",
    "Family history of {} (situation)",
    "Suspected {} (situation)",
    "Screening for {} (procedure)",
    "{} screening",
    "Screening {}",
    "Prevention of {}",
    "Risiko {}",
    "dépistage {}",
    "risk of {}",
    "Status post {}",
    "Verdacht auf {}",
    "Z. n. {}",
]


def test_situations_as_records_name_them_find_nothing_in_a_record() -> None:
    """They are 500 combinations with names and English terms of the catalogue."""
    draw = random.Random(0)
    terms = [term for entry in bundled().entries for term in entry.diagnosis.terms.get("en", ())]
    drawn = [draw.choice(SITUATIONS).format(draw.choice(terms)) for _ in range(500)]

    assert [text for text in drawn if search().diagnoses_of_record(text).hits] == []


@pytest.mark.parametrize(
    ("text", "diagnosis_ids"),
    [
        ("Pneumonia, unspecified organism", ["community-acquired-pneumonia"]),
        ("Gout, left ankle and foot", ["gout"]),
        ("Gout with tophi (disorder)", ["gout"]),
        ("Asthma and rare illness", []),
        *((wider, []) for wider in ("Seizure", "Dementia", "Knee pain", "Luftnot")),
    ],
)
def test_a_record_stands_for_a_diagnosis_only_if_it_says_little_more(
    text: str, diagnosis_ids: list[str]
) -> None:
    assert [hit.diagnosis_id for hit in search().diagnoses_of_record(text).hits] == diagnosis_ids


def test_an_apostrophe_may_be_left_out() -> None:
    """French and Italian articles may be joined to the word: “crise dasthme”."""
    for entry in bundled().entries:
        for term in chain(*entry.diagnosis.terms.values()):
            typed = re.sub("['\u2019]", "", term)
            assert typed == term or entry.diagnosis.id in found(typed), term


@pytest.mark.parametrize(
    ("query", "matched", "by", "is_whole", "is_corrected"),
    [
        ("Heart attack", "heart attack", MatchedBy.TERM, True, False),
        ("asthma", "Asthma", MatchedBy.NAME, True, False),
        ("acute gout since yesterday", "acute gout", MatchedBy.TERM, False, False),
        ("fibromyalga", "Fibromyalgia", MatchedBy.NAME, False, True),
        ("heart atack", "heart attack", MatchedBy.TERM, False, True),
        ("guilain barre", "Guillain-Barré", MatchedBy.TERM, False, True),
    ],
)
def test_a_hit_says_why(
    query: str, matched: str, by: MatchedBy, is_whole: bool, is_corrected: bool
) -> None:
    hit = search().diagnoses(query).hits[0]

    assert (hit.matched, hit.by) == (matched, by)
    assert (hit.is_whole, hit.spelling_corrected) == (is_whole, is_corrected)


@pytest.mark.parametrize(
    ("text", "read", "ignored"),
    [
        (
            "COPD Kortison bitte",
            [
                Piece("COPD", ReadAs.DIAGNOSIS, "Chronic obstructive pulmonary disease"),
                Piece("Kortison", ReadAs.TREATMENT, "corticosteroid"),
            ],
            ("bitte",),
        ),
        ("Luftnot", [Piece("Luftnot", ReadAs.WIDER, "shortness of breath")], ()),
        (
            "fibromyalga exercise",
            [
                Piece("fibromyalga", ReadAs.CORRECTED, "Fibromyalgia"),
                Piece("exercise", ReadAs.FACET, "exercise"),
            ],
            (),
        ),
        (
            "gout, no asthma",
            [
                Piece("gout", ReadAs.DIAGNOSIS, "Gout"),
                Piece("asthma", ReadAs.NEGATED, None),
            ],
            (),
        ),
        ("Blasenkrebs", [Piece("Blasenkrebs", ReadAs.ABSENT, "Blasenkrebs")], ()),
        (
            "pulmonale Hypertonie",
            [Piece("pulmonale Hypertonie", ReadAs.ABSENT, "pulmonale Hypertonie")],
            (),
        ),
        ("led", [], ("led",)),
    ],
)
def test_each_piece_says_what_it_was_read_as(
    text: str, read: list[Piece], ignored: tuple[str, ...]
) -> None:
    named = search().diagnoses(text)

    assert list(named.read) == read
    assert named.ignored == ignored


def test_no_text_raises_anything() -> None:
    draw = random.Random(0)
    words = [term for entry in bundled().entries for term in entry.diagnosis.terms.get("de", ())]
    words += [*string.punctuation, *string.printable, "\u0130", "ß\u0301", "\U0001f600", "no", "."]
    for _ in range(2000):
        text = " ".join(
            draw.choice(words)[: draw.randint(1, 12)] for _ in range(draw.randint(0, 6))
        )
        search().diagnoses(text)
        search().diagnoses_of_record(text)
        search().interventions(text)
        search().suggest(text, 8)
