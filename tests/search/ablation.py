"""`make search-ablation`: leaves out each rule and each list in turn, and prints what it is worth.

A rule that changes fewer than three cases should go.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from unittest.mock import patch

from evref.adapters.outbound.files import read_word_lists
from evref.domain.catalogue.search import lexicon, reading
from evref.domain.catalogue.search.lists import Kind, WordLists
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.search.suggestions import Suggestions
from evref.domain.catalogue.search.texts import Texts
from tests.pages.site import bundled
from tests.search.cases import cases

_Patch = Callable[[], AbstractContextManager[object]]


def _method(owner: object, name: str, result: Callable[..., object]) -> _Patch:
    return lambda: patch.object(owner, name, result)


RULES: dict[str, _Patch] = {
    "doubt of names": _method(reading.Reader, "_changed", lambda _, one, *__, **___: one),
    "doubt beside words of no entry": _method(Texts, "mention", lambda *_: True),
    "correction of unknown words": _method(reading.Reader, "_corrected", lambda _, word: word),
    "one slip in any word of a name": _method(
        reading.Reader, "_with_one_slip", lambda *_: iter(())
    ),
    "abbreviations": _method(reading.Reader, "_abbreviation", lambda *_: None),
    "pieces of one word": _method(reading.Reader, "_joined", lambda *_: None),
    "compounds": _method(lexicon.Lexicon, "parts", lambda _, word: (word,)),
    "half a name": _method(Search, "_having", lambda *_: ()),
    "words of names where none is named": _method(
        lexicon.Lexicon, "diagnoses_with", lambda *_: set()
    ),
    "facets": _method(Texts, "meeting", lambda texts, _: bytes(len(texts.interventions))),
    "titles as queries": _method(Texts, "titled", lambda *_: []),
}


LEFT_TOGETHER = frozenset({"named", "synonyms", "treatments"})
"""Lists that are not left out as they are: their kinds, and those that belong together, are."""


def variants() -> Iterator[tuple[str, WordLists, _Patch]]:
    """Yield each rule and each list by name, the lists, and what leaves it out."""
    lists = read_word_lists()
    for name, rule in RULES.items():
        yield f"rule: {name}", lists, rule
    empty = WordLists()
    for field in fields(WordLists):
        if field.name not in LEFT_TOGETHER:
            without = replace(lists, **{field.name: getattr(empty, field.name)})
            yield f"list: {field.name}", without, nullcontext
    for kind in (Kind.TERM, Kind.FAMILY, Kind.COMPLAINT):
        named = tuple(item for item in lists.named if item[0] is not kind)
        yield f"list: {kind}", replace(lists, named=named), nullcontext
    without = replace(lists, synonyms=empty.synonyms, treatments=empty.treatments)
    yield "list: synonyms", without, nullcontext


def results(lists: WordLists) -> dict[tuple[str, str], bool]:
    """Return for each case, by measure and query, whether it is right."""
    search = Search(bundled(), lists)
    return {(case.measure, case.query): case.is_right(search) for case in cases()}


def main() -> None:
    right = results(read_word_lists())
    sys.stdout.write(f"{sum(right.values())} of {len(right)} are right; without:\n")
    for name, lists, rule in variants():
        with rule(), patch.object(Suggestions, "__init__", lambda *_: None):
            without = results(lists)
        lost = sum(right[case] and not without[case] for case in right)
        won = sum(without[case] and not right[case] for case in right)
        sys.stdout.write(f"{name:44} {lost:4} lost {won:4} won\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
