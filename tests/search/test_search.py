"""What people type leads to the right diagnosis, and never to a wrong one."""

from __future__ import annotations

import pytest

from evref.adapters.outbound.files import read_lexicon
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.names import MatchedBy
from evref.testing.builders import an_entry, an_intervention
from tests.search.__main__ import PAGE, with_table
from tests.search.bundled import searchable
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
    "Rueckenschmerzen": "low-back-pain",
    "Knie Arthrose": "knee-osteoarthritis",
    "frozenshoulder": "adhesive-capsulitis",
    "knee operation after an ACL tear": "anterior-cruciate-ligament-injury",
}


@pytest.mark.parametrize("kind", dict.fromkeys(KINDS.values()))
def test_the_queries_of_each_kind_find_what_they_must(kind: str) -> None:
    score = scores(searchable())[kind]

    assert 100 * score.right / score.queries >= AT_LEAST[kind]


def test_nearly_all_queries_lead_on_and_few_find_more_than_one_diagnosis() -> None:
    whole = sum(scores(searchable()).values(), Score())

    assert 100 * whole.with_suggestions / whole.queries >= 93
    assert whole.results / whole.queries <= 1.5


@pytest.mark.parametrize("query", NOTHING)
def test_nothing_is_better_than_a_wrong_diagnosis(query: str) -> None:
    assert searchable().named(query).hits == ()


@pytest.mark.parametrize("query", FIRST)
def test_the_right_diagnosis_is_the_first(query: str) -> None:
    assert searchable().named(query).hits[0].diagnosis_id == FIRST[query]


def test_every_name_and_term_finds_its_diagnosis_as_a_whole() -> None:
    """So no list has a word that the catalogue means."""
    catalogue = searchable()
    lost = [
        name.text
        for part in catalogue.search.parts
        for name in part.names
        if name.diagnosis_id
        not in {hit.diagnosis_id for hit in catalogue.named(name.text).hits if hit.is_whole}
    ]

    assert lost == []


def test_the_catalogue_has_no_condition_that_the_list_says_it_lacks() -> None:
    names = {frozenset(name.words) for part in searchable().search.parts for name in part.names}
    both = [words for words in read_lexicon().absent if frozenset(words) in names]

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
    hit = searchable().named(query).hits[0]

    assert (hit.matched, hit.by) == (matched, by)
    assert (hit.is_whole, hit.spelling_corrected) == (is_whole, is_corrected)


def test_only_several_words_without_a_hit_get_suggestions() -> None:
    catalogue = searchable()

    near = catalogue.named("can't eat gluten").suggestions
    assert "coeliac-disease" in {each.diagnosis_id for each in near}
    assert len(near) <= 3
    assert catalogue.named("asthma").suggestions == ()
    assert catalogue.named("xylophone").suggestions == ()


def test_an_index_uses_what_an_earlier_one_has_of_what_did_not_change() -> None:
    gout, asthma = an_entry("gout", name="Gout"), an_entry("asthma", name="Asthma")
    renamed = an_entry("gout", name="Podagra")
    plan = an_intervention(diagnosis_id="asthma", title="Action plan")
    planned = an_entry("asthma", name="Asthma", interventions=[plan])
    before, after = Catalogue([gout, asthma]), Catalogue([renamed, planned])

    before.make_searchable(read_lexicon())
    after.make_searchable(read_lexicon(), before.search)

    # In the order of the names: Asthma, then Gout or Podagra.
    assert after.search.parts[0].names is before.search.parts[0].names
    assert after.search.parts[1].texts is before.search.parts[1].texts
    assert after.named("podagra").hits
    assert not after.named("gout").hits
    assert [hit.intervention for hit in after.search.interventions.find("plan")] == [plan]


def test_the_page_has_the_table_of_today() -> None:
    """`python -m tests.search` writes it."""
    page = PAGE.read_text(encoding="utf-8")

    assert with_table(page) == page
