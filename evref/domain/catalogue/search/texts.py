"""The texts of the interventions, by the stems of their words and phrases."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import chain

from evref.domain.catalogue.card import in_card_order
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import Forms, Phrase, fold, stem, written_words_of
from evref.domain.catalogue.search.lexicon import Name
from evref.domain.catalogue.search.lists import WordLists
from evref.domain.catalogue.search.synonyms import Likeness

_WRITTEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
IN_BODY = len(Likeness)
"""What is added to a likeness where only the summary or the cautions have the words."""

_Index = defaultdict[str, "array[int]"]
"""The numbers of the interventions that have a word or phrase."""


class Texts:
    """The visible interventions, each with a number, those of a diagnosis one after another.

    `words` are all words of the texts, folded.
    """

    def __init__(self, catalogue: Catalogue, lists: WordLists) -> None:
        self._synonyms, self._filling = lists.synonyms, lists.filling
        self.interventions: list[Intervention] = []
        self.of_diagnosis: dict[str, range] = {}
        self.places_on_card: array[int] = array("H")
        self._title: _Index = defaultdict(partial(array, "I"))
        self._body: _Index = defaultdict(partial(array, "I"))
        self._title_sizes = bytearray()
        self._stems = Forms(partial(_stem, lists.filling))
        self._phrases: defaultdict[str, list[Phrase]] = defaultdict(list)
        for phrase in lists.synonyms.phrases:
            if len(phrase) > 1:
                self._phrases[max(phrase, key=len)].append(phrase)
        for entry in catalogue.entries:
            own = entry.visible_interventions()
            first = len(self.interventions)
            self.of_diagnosis[entry.diagnosis.id] = range(first, first + len(own))
            order = in_card_order(own, entry.diagnosis.mainstays)
            place_of = {one.id: place for place, one in enumerate(order)}
            for number, one in enumerate(own, first):
                self.interventions.append(one)
                self.places_on_card.append(place_of[one.id])
                self._title_sizes.append(self._add(one.title, self._title, number))
                self._add(_body(one), self._body, number)
        self.words = frozenset(map(fold, self._stems))
        self.all = range(len(self.interventions))

    def _add(self, text: str, index: _Index, number: int) -> int:
        """Add the words and the phrases of a text to the index; return how many words it has."""
        stems = self._stemmed(text)
        different = set(stems)
        for word in different:
            index[word].append(number)
        for word in different & self._phrases.keys():
            for phrase in self._phrases[word]:
                if different.issuperset(phrase) and _place(stems, phrase) is not None:
                    index[" ".join(phrase)].append(number)
        return len(different)

    def titled(self, text: str) -> list[int]:
        """Return the interventions whose title is the text."""
        words = {_stem(self._filling, word) for word in written_words_of(text)} - {""}
        several = [self._title.get(word, ()) for word in words]
        having_all = set(several[0]).intersection(*several[1:]) if several else set()
        return sorted(n for n in having_all if self._title_sizes[n] == len(words))

    def distances(self, phrase: Phrase, among: range) -> dict[int, int]:
        """Return how far from the phrase each intervention is that has it: 0 is in its title."""
        found: dict[int, int] = {}
        for other, likeness in self._synonyms.of(phrase).items():
            for distance, index in ((likeness, self._title), (IN_BODY + likeness, self._body)):
                numbers: Iterable[int] = _within(among, index.get(" ".join(other)))
                if len(other) > 1 and (index is self._title or likeness is Likeness.SAME):
                    several = [_within(among, index.get(word)) for word in other]
                    numbers = chain(numbers, set(several[0]).intersection(*several[1:]))
                for number in numbers:
                    if found.get(number, distance) >= distance:
                        found[number] = distance
        return found

    def mention(self, name: Name, stem: str) -> bool:
        """Return whether an intervention of a diagnosis of the name has the word."""
        ranges = (self.of_diagnosis[id_] for id_ in name.diagnosis_ids)
        return any(self.distances((stem,), among) for among in ranges)

    def having(self, stems: Iterable[str], among: range, *, in_title: bool) -> set[int]:
        """Return the interventions that have any of these in the title, or in the other texts."""
        index = self._title if in_title else self._body
        return set[int]().union(*(_within(among, index.get(word)) for word in stems))

    def written(self, phrase: Phrase, one: Intervention) -> tuple[str, bool, Likeness] | None:
        """Return the words of the intervention, as written, that have the phrase.

        With them, return whether they are in its title, and how they stand for the phrase.
        """
        for text in (one.title, _body(one)):
            found = [
                (match, word)
                for match in _WRITTEN.finditer(text)
                for word in self._stemmed(match[0])
            ]
            stems = [word for _, word in found]
            others = sorted(self._synonyms.of(phrase).items(), key=lambda p: (p[1], -len(p[0])))
            for other, likeness in others:
                place = _place(stems, other)
                if place is not None:
                    first, last = found[place][0], found[place + len(other) - 1][0]
                    return text[first.start() : last.end()], text is one.title, likeness
            if set(phrase) <= {*stems}:
                words = (found[stems.index(word)][0][0] for word in phrase)
                return " ".join(words), text is one.title, Likeness.SAME
        return None

    def of_title(
        self, stems: Collection[str], one: Intervention
    ) -> tuple[str, bool, Likeness] | None:
        """Return the first word of the title, as written, with one of the stems, as `written`."""
        for word in _WRITTEN.findall(one.title):
            if not set(stems).isdisjoint(self._stemmed(word)):
                return word, True, Likeness.SYNONYM
        return None

    def _stemmed(self, text: str) -> list[str]:
        """Return the stems of the words of a text that count, in order."""
        return list(filter(None, map(self._stems.__getitem__, written_words_of(text))))


def _stem(filling: frozenset[str], word: str) -> str:
    """Return the stem of a word as written; empty if it does not count."""
    folded = fold(word)
    return "" if folded in filling else stem(folded)


def _within(among: range, numbers: array[int] | None) -> Sequence[int]:
    """Return those of the numbers, which ascend, that are in the range."""
    if numbers is None:
        return ()
    return numbers[bisect_left(numbers, among.start) : bisect_left(numbers, among.stop)]


def _body(one: Intervention) -> str:
    return one.summary if one.cautions is None else f"{one.summary} {one.cautions}"


def _place(stems: list[str], phrase: Phrase) -> int | None:
    """Return where the phrase begins among the stems, if it is there."""
    size = len(phrase)
    for place in range(len(stems) - size + 1):
        if stems[place] == phrase[0] and tuple(stems[place : place + size]) == phrase:
            return place
    return None
