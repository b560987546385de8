"""The search is right on lists of what people type, and its word lists fit the catalogue."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import pytest

from evref.adapters.outbound.files import read_word_lists
from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.lexicon import names_of
from evref.domain.catalogue.search.lists import WordLists, counting
from tests.pages.site import bundled
from tests.search.ablation import LEFT_TOGETHER, variants
from tests.search.bundled import search
from tests.search.cases import cases, measured

AT_LEAST = {
    "queries": 90,
    "abbreviations": 98,
    "misspelt": 95,
    "ward": 96,
    "absent": 96,
    "absent in a record": 98,
    "absent-names": 74,
    "absent-names in a record": 94,
    "everyday": 98,
    "answers (three)": 95,
    "answers (first)": 82,
    "fresh-answers (three)": 92,
    "fresh-answers (first)": 84,
}
"""Percent of the queries of each measure that must be right."""

_measured = cache(lambda: measured(search()))


@pytest.mark.parametrize("measure", AT_LEAST)
def test_the_queries_of_each_list_find_what_they_must(measure: str) -> None:
    number, wrong = _measured()[measure]

    assert 100 * (number - len(wrong)) / number >= AT_LEAST[measure], wrong


def test_every_list_has_a_floor() -> None:
    assert AT_LEAST.keys() == {case.measure for case in cases()}


def test_the_catalogue_has_no_condition_that_the_list_says_it_lacks() -> None:
    lists = read_word_lists()
    texts = [form for entry in bundled().entries for _, form in names_of(entry.diagnosis)]
    texts += [text for _, several, _ in lists.named for text in several]
    known = {frozenset(counting(words_of(text), lists.filling)) for text in texts}

    both = [
        text for text in lists.absent if frozenset(counting(words_of(text), lists.filling)) in known
    ]

    assert both == []


def test_the_wider_words_lead_to_diagnoses_of_the_catalogue() -> None:
    ids = {entry.diagnosis.id for entry in bundled().entries}
    unknown = {id_ for _, _, several in read_word_lists().named for id_ in several} - ids

    assert unknown == set()


def test_the_rules_and_lists_that_are_left_out_exist() -> None:
    """A patch of what is not there raises an error."""
    for _, _, rule in variants():
        with rule():
            pass

    assert {field.name for field in fields(WordLists)} > LEFT_TOGETHER
