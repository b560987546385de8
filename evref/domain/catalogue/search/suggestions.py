"""Suggestions while one types: the names, wider words and titles with a word that begins so."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import chain, islice, takewhile
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
        self._items: list[Name | Intervention] = []
        self._keys: list[str] = []
        self._having: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for name in dict.fromkeys(chain.from_iterable(lexicon.names)):
            if len(name.diagnosis_ids) > name.kind.is_wider:
                self._add(name, name.text)
        for entry in catalogue.entries:
            for intervention in entry.visible_interventions():
                self._add(intervention, intervention.title)
        self._words = sorted(self._having)

    def _add(self, item: Name | Intervention, text: str) -> None:
        words = written_words_of(text)
        for word in set(words):
            self._having[word].append(len(self._items))
        self._items.append(item)
        self._keys.append(" ".join(words))

    def of(self, text: str, most: int) -> list[Suggested]:
        """Return the suggestions for the typed text, each thing once: some are interventions.

        What begins so comes first, then likely diagnoses of a family, then short names.
        """
        words = written_words_of(text)
        if not words:
            return []
        typed = " ".join(words)
        ranked = sorted(
            (not self._keys[number].startswith(typed), len(self._keys[number]), number)
            for number in self._with(words)
        )
        items = {self._items[number]: is_within for is_within, _, number in ranked}
        names = [item for item in items if isinstance(item, Name)]
        titled = [item for item in items if isinstance(item, Intervention)]
        likely = {
            id_: place
            for name in reversed(names)
            if name.kind is Kind.FAMILY and not items[name]
            for place, id_ in enumerate(name.diagnosis_ids)
        }

        def rank(name: Name) -> tuple[bool, int, bool]:
            place = _LAST if name.kind.is_wider else likely.get(name.diagnosis_ids[0], _LAST)
            return place == _LAST and items[name], place, name.kind.is_wider

        by_name = {name.diagnosis_ids for name in names if name.kind is Kind.NAME}
        suggested: dict[tuple[str, ...], Suggested] = {}
        for name in sorted(names, key=rank):
            ids = name.diagnosis_ids
            if name.kind.is_wider:
                wider = Suggested("wider", name.text, f"{len(ids)} diagnoses")
                suggested.setdefault(ids, wider)
            else:
                matched = name.meaning if ids in by_name else name.text
                suggested.setdefault(ids, self.diagnosis(ids[0], matched))
        places = min(len(titled), max(MOST_INTERVENTIONS, most - len(suggested)))
        first = [*suggested.values()][: most - places]
        return [*first, *map(self.intervention, titled[:places])]

    def diagnosis(self, id_: str, matched: str) -> Suggested:
        name = self._names[id_]
        return Suggested("diagnosis", name, "" if matched == name else matched, id_)

    def intervention(self, found: Intervention) -> Suggested:
        name = self._names[found.diagnosis_id]
        return Suggested("intervention", found.title, name, found.diagnosis_id, found.id)

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
