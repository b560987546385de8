"""The texts of the interventions, by the stems of their words and phrases."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import (
    Forms,
    Phrase,
    fold,
    place_of,
    stem,
    written_words_of,
)
from evref.domain.catalogue.search.lexicon import Name
from evref.domain.catalogue.search.lists import Facet, WordLists
from evref.domain.catalogue.search.synonyms import Likeness

_WRITTEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
IN_BODY = 1000
"""What is added to a likeness where only the summary or the cautions have the words."""

_NONE = array("I")
_Index = defaultdict[str, "array[int]"]
"""The numbers of the interventions that have a word or phrase."""


class Texts:
    """The visible interventions, each with a number, those of a diagnosis in the order of its card.

    `words` are all words of the texts, folded.
    """

    def __init__(self, catalogue: Catalogue, lists: WordLists) -> None:
        self._synonyms = lists.synonyms
        self.interventions: list[Intervention] = []
        self.of_diagnosis: dict[str, range] = {}
        self._title: _Index = defaultdict(partial(array, "I"))
        self._body: _Index = defaultdict(partial(array, "I"))
        self.places_on_card = array("H")
        self._meeting: dict[str, bytearray] = {}
        self._stems = Forms(partial(_stem, lists.filling))
        self._phrases: defaultdict[str, list[Phrase]] = defaultdict(list)
        for phrase in lists.synonyms.phrases:
            if len(phrase) > 1:
                self._phrases[max(phrase, key=len)].append(phrase)
        for entry in catalogue.entries:
            own = entry.in_card_order()
            first = len(self.interventions)
            self.of_diagnosis[entry.diagnosis.id] = range(first, first + len(own))
            for number, intervention in enumerate(own, first):
                self.interventions.append(intervention)
                self.places_on_card.append(number - first)
                for word in set(self._stemmed(intervention.title)):
                    self._title[word].append(number)
                for known in self._words_and_phrases(self._stemmed(body(intervention))):
                    self._body[known].append(number)
        self.all = range(len(self.interventions))
        self.words = frozenset(map(fold, self._stems))

    def _words_and_phrases(self, stems: list[str]) -> Iterator[str]:
        """Yield the different words, and the phrases of the synonyms among them."""
        words = set(stems)
        yield from words
        for word in words & self._phrases.keys():
            for phrase in self._phrases[word]:
                if words.issuperset(phrase) and place_of(phrase, stems) is not None:
                    yield " ".join(phrase)

    def titled(self, text: str) -> list[int]:
        """Return the interventions whose title is the text."""
        words = {self._stems.get(word, word) for word in written_words_of(text)} - {""}
        rarest = min((self._title.get(word, _NONE) for word in words), key=len, default=_NONE)
        return [n for n in rarest if words == {*self._stemmed(self.interventions[n].title)}]

    def distances(self, phrase: Phrase, among: Collection[range]) -> dict[int, int]:
        """Return how far from the phrase each intervention is that has it: 0 is in its title."""
        distances: dict[int, int] = {}
        similar = self._synonyms.of(phrase)
        for nearest, index in ((0, self._title), (IN_BODY, self._body)):
            for other, likeness in similar.items():
                # A summary may have the words of a synonym without meaning it.
                is_whole = index is self._body and likeness > Likeness.SAME
                several = [index.get(word) for word in ([" ".join(other)] if is_whole else other)]
                if all(several):
                    first, *more = (_within(among, numbers) for numbers in several if numbers)
                    for number in set(first).intersection(*more):
                        distances.setdefault(number, nearest + likeness)
        return distances

    def mention(self, names: Iterable[Name], stem: str) -> bool:
        """Return whether an intervention of a diagnosis of the names has the word."""
        ids = dict.fromkeys(id_ for name in names for id_ in name.diagnosis_ids)
        return bool(self.distances((stem,), [self.of_diagnosis[id_] for id_ in ids]))

    def meeting(self, facet: Facet) -> bytearray:
        """Return for each intervention how well it meets the facet: by title, and by place."""
        if facet.name not in self._meeting:
            in_title = set[int]().union(*(self._title.get(word, ()) for word in facet.title))
            self._meeting[facet.name] = bytearray(
                (number in in_title) + (own.module in facet.modules or own.phase in facet.phases)
                for number, own in enumerate(self.interventions)
            )
        return self._meeting[facet.name]

    def written(self, phrases: Iterable[Phrase], text: str) -> str | None:
        """Return the words of the text, as written, that are the first of the phrases in it."""
        stemmed = [
            (match, word) for match in _WRITTEN.finditer(text) for word in self._stemmed(match[0])
        ]
        stems = [word for _, word in stemmed]
        for phrase in phrases:
            place = place_of(phrase, stems)
            if place is not None:
                first, last = stemmed[place][0], stemmed[place + len(phrase) - 1][0]
                return text[first.start() : last.end()]
        return None

    def alternatives(self, phrase: Phrase) -> list[Phrase]:
        """Return the phrases that an entry may have for this one, nearest and longest first."""
        likeness = self._synonyms.of(phrase)
        return sorted(likeness, key=lambda other: (likeness[other], -len(other)))

    def _stemmed(self, text: str) -> list[str]:
        """Return the stems of the words of a text that count, in order."""
        return list(filter(None, map(self._stems.__getitem__, written_words_of(text))))


def _stem(filling: frozenset[str], word: str) -> str:
    """Return the stem of a word as written; empty if it does not count."""
    folded = fold(word)
    return "" if folded in filling else stem(folded)


def _within(among: Collection[range], numbers: array[int]) -> array[int]:
    """Return those of the numbers, which ascend, that are in any of the ranges."""
    within = array("I")
    for own in among:
        first = bisect_left(numbers, own.start)
        within += numbers[first : bisect_left(numbers, own.stop, first)]
    return within


def body(intervention: Intervention) -> str:
    return f"{intervention.summary} {intervention.cautions or ''}"
