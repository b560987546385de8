"""The phrases that may stand for the words of a query."""

from evref.domain.catalogue.search.folding import Phrase
from evref.domain.catalogue.search.synonyms import Likeness, Synonyms

SAME: list[Phrase] = [("cpap",), ("pap",), ("airway", "pressure"), ("sleep", "mask"), ("apap",)]
KINDS: list[Phrase] = [("ibuprofen",), ("naproxen",), ("diclofenac",), ("celecoxib",)]


def test_phrases_are_tried_in_the_order_of_the_word_lists_in_every_process() -> None:
    synonyms = Synonyms([SAME], {("nsaid",): KINDS})

    assert list(synonyms.of(("cpap",))) == SAME
    assert list(synonyms.of(("nsaid",))) == [("nsaid",), *KINDS]


def test_a_medicine_stands_for_its_class_but_for_no_other_medicine_of_it() -> None:
    synonyms = Synonyms([], {("nsaid",): KINDS})

    assert synonyms.of(("ibuprofen",)) == {
        ("ibuprofen",): Likeness.SAME,
        ("nsaid",): Likeness.WIDER,
    }


def test_the_class_of_a_class_is_still_wider() -> None:
    synonyms = Synonyms([], {("antithrombotic",): [("doac",)], ("doac",): [("apixaban",)]})

    assert synonyms.of(("apixaban",)) == {
        ("apixaban",): Likeness.SAME,
        ("doac",): Likeness.WIDER,
        ("antithrombotic",): Likeness.STILL_WIDER,
    }
