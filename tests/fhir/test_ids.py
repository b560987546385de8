"""Ids of resources: at most 64 characters, and different for each id of the catalogue."""

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
def test_every_id_is_valid_in_fhir(slug: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9\-.]{1,64}", fhir_id(slug))


@given(slug=LONG)
def test_the_id_for_a_long_slug_keeps_its_beginning_and_is_no_slug(slug: str) -> None:
    """Ids of the catalogue have no dot."""
    beginning, dot, digest = fhir_id(slug).partition(".")

    assert slug.startswith(beginning)
    assert dot
    assert re.fullmatch("[0-9a-f]{32}", digest)


@given(first=SHORT | LONG, second=SHORT | LONG)
def test_different_slugs_have_different_ids(first: str, second: str) -> None:
    assert (fhir_id(first) == fhir_id(second)) == (first == second)


@pytest.mark.parametrize("length", [63, 64, 65, 96])
def test_a_slug_of_up_to_64_characters_is_the_id(length: int) -> None:
    slug = an_intervention("x" * length).id

    assert (fhir_id(slug) == slug) == (length <= 64)
