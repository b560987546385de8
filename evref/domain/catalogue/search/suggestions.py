"""Suggestions while one types: the names, wider words and titles with a word that begins so."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from typing import NamedTuple

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import written_words_of
from evref.domain.catalogue.search.lexicon import Lexicon, Name
from evref.domain.catalogue.search.lists import Kind

SHORTEST = 3
"""Characters."""
MOST_INTERVENTIONS = 3
_LAST = 99


class Suggested(NamedTuple):
    """A diagnosis, a wider word or an intervention to go to.

    `kind` is diagnosis, wider or intervention. `matched` is why it is suggested: a term, the number
    of diagnoses of a wider word, or the diagnosis of an intervention.
    """

    kind: str
    name: str
    matched: str = ""
    diagnosis_id: str = ""
    intervention_id: str = ""


class Suggestions:
    """What can be suggested, by its words as written."""

    def __init__(self, catalogue: Catalogue, lexicon: Lexicon) -> None:
        self._names = {entry.diagnosis.id: entry.diagnosis.name for entry in catalogue.entries}
        self._lexicon = lexicon
        self._items: list[int | Intervention] = []
        self._keys: list[str] = []
        self._having: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for name in lexicon.names():
            if len(name.diagnosis_ids) > name.kind.is_wider:
                self._add(name.number, name.text)
        for entry in catalogue.entries:
            for one in entry.visible_interventions():
                self._add(one, one.title)
        self._words = sorted(self._having)

    def _add(self, item: int | Intervention, text: str) -> None:
        words = written_words_of(text)
        for word in set(words):
            self._having[word].append(len(self._items))
        self._items.append(item)
        self._keys.append(" ".join(words))

    def of(self, text: str, most: int) -> list[Suggested]:
        """Return the suggestions for the typed text, each thing once: some are interventions."""
        words = written_words_of(text)
        typed = " ".join(words)
        if len(text.strip()) < SHORTEST or not words:
            return []
        begun = {number: self._keys[number].startswith(typed) for number in self._with(words)}
        names = {
            number: self._lexicon.name(item)
            for number in begun
            if isinstance(item := self._items[number], int)
        }
        likely = {
            id_: place
            for number, name in sorted(names.items(), reverse=True)
            if name.kind is Kind.FAMILY and begun[number]
            for place, id_ in enumerate(name.diagnosis_ids)
        }
        ranked = sorted(
            (self._rank(number, begun[number], names.get(number), likely), number)
            for number in begun
        )
        by_name = {name.diagnosis_ids for name in names.values() if name.kind is Kind.NAME}
        suggested: dict[object, Suggested] = {}
        for _, number in ranked:
            item, name = self._items[number], names.get(number)
            what = name.diagnosis_ids if name else number
            if what not in suggested:
                one = self._suggested(item)
                suggested[what] = one._replace(matched="") if what in by_name else one
        titles = [one for one in suggested.values() if one.kind == "intervention"]
        others = [one for one in suggested.values() if one.kind != "intervention"]
        places = min(len(titles), max(MOST_INTERVENTIONS, most - len(others)))
        return [*others[: most - places], *titles[:places]]

    def _rank(
        self, number: int, begins: bool, name: Name | None, likely: Mapping[str, int]
    ) -> tuple[bool, bool, int, bool, int]:
        """Order what begins so first, then likely diagnoses of a family, then short names."""
        size = len(self._keys[number])
        if name is None:
            return True, not begins, _LAST, False, size
        is_wider = name.kind.is_wider
        place = _LAST if is_wider else likely.get(name.diagnosis_ids[0], _LAST)
        return False, place == _LAST and not begins, place, is_wider, size

    def _suggested(self, item: int | Intervention) -> Suggested:
        if isinstance(item, Intervention):
            return self.intervention(item)
        name = self._lexicon.name(item)
        if name.kind.is_wider:
            return Suggested("wider", name.text, f"{len(name.diagnosis_ids)} diagnoses")
        return self.diagnosis(name.diagnosis_ids[0], name.text)

    def diagnosis(self, id_: str, matched: str) -> Suggested:
        """Return a diagnosis, which this name or term matches."""
        name = self._names[id_]
        return Suggested("diagnosis", name, "" if matched == name else matched, id_)

    def intervention(self, one: Intervention) -> Suggested:
        """Return an intervention, with the name of its diagnosis."""
        name = self._names[one.diagnosis_id]
        return Suggested("intervention", one.title, name, one.diagnosis_id, one.id)

    def _with(self, words: Sequence[str]) -> set[int]:
        """Return the items with these words, the last as a beginning, or with one of all."""
        others = [self._having.get(word, ()) for word in words[:-1]]
        separate = self._beginning_with(words[-1]).intersection(*others)
        # Herz insuff is a beginning of Herzinsuffizienz.
        return separate | self._beginning_with("".join(words)) if others else separate

    def _beginning_with(self, beginning: str) -> set[int]:
        first = bisect_left(self._words, beginning)
        own = takewhile(lambda word: word.startswith(beginning), islice(self._words, first, None))
        return set[int]().union(*map(self._having.__getitem__, own))
