"""Ids of at most 64 characters, for each id of the catalogue another one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.inbound.fhir.index import fhir_id
from evref.testing.builders import an_intervention

WORDS = st.text("abcxyz019", min_size=1, max_size=8)
SHORT = st.lists(WORDS, min_size=1, max_size=7).map("-".join)
LONG = st.lists(WORDS, min_size=33, max_size=40).map(lambda words: "-".join(words)[:96])


@given(slug=SHORT | LONG)
def test_every_id_is_one_of_fhir(slug: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9\-.]{1,64}", fhir_id(slug))


@given(slug=LONG)
def test_a_long_id_keeps_its_beginning_and_is_never_one_of_the_catalogue(slug: str) -> None:
    """Which has no dot."""
    beginning, dot, digest = fhir_id(slug).partition(".")

    assert slug.startswith(beginning)
    assert dot
    assert re.fullmatch("[0-9a-f]{32}", digest)


@given(first=SHORT | LONG, second=SHORT | LONG)
def test_two_ids_are_never_the_same(first: str, second: str) -> None:
    assert (fhir_id(first) == fhir_id(second)) == (first == second)


@pytest.mark.parametrize("length", [63, 64, 65, 96])
def test_the_longest_that_stays_has_64_characters(length: int) -> None:
    slug = an_intervention("x" * length).id

    assert (fhir_id(slug) == slug) == (length <= 64)
