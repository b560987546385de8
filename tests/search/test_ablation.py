"""Each rule that `make search-ablation` leaves out is a part of the search."""

from dataclasses import fields

from evref.domain.catalogue.search.lists import WordLists
from tests.search.ablation import LEFT_TOGETHER, variants


def test_the_rules_and_lists_that_are_left_out_exist() -> None:
    """A patch of what is not there raises an error."""
    for _, _, rule in variants():
        with rule():
            pass

    assert {field.name for field in fields(WordLists)} > LEFT_TOGETHER
