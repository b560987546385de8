"""Suggestions while one types: what begins with the text, and then what the text finds."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import written_words_of
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.names import MatchedBy, Name

SHORTEST = 3
"""Characters."""

_Key = tuple[str, ...]
"""The words of a text as written, in lower case."""


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


class Beginnings:
    """The names, terms, wider words and titles, to be found by the beginnings of their words."""

    def __init__(
        self,
        catalogue: Catalogue,
        lexicon: Lexicon,
        names: Iterable[Name],
        interventions: Sequence[Intervention],
        titles: Iterable[_Key],
    ) -> None:
        """Take the names of diagnoses, and the interventions with the words of their titles."""
        self._name_of = {entry.diagnosis.id: entry.diagnosis.name for entry in catalogue.entries}
        self._wider: list[tuple[_Key, WiderWord]] = [
            (_key(word.text), word.among(self._name_of)) for word in lexicon.wider
        ]
        # Names before terms.
        self._names = sorted(names, key=lambda name: name.by is MatchedBy.TERM)
        self._interventions = interventions
        self._keys = [*(name.written for name in self._names), *titles]
        numbers_of: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, key in enumerate(self._keys):
            for word in dict.fromkeys(key):
                numbers_of[word].append(number)
        self._numbers_of = dict(numbers_of)
        self._words = sorted(self._numbers_of)

    def of(self, text: str) -> Iterator[Suggested]:
        """Yield what begins with the text, and then what has a word that begins with it.

        Interventions come last.
        """
        typed = _key(text)
        if len(text.strip()) < SHORTEST or not typed:
            return
        numbers = self._with_words(typed)
        first_title = bisect_left(numbers, len(self._names))
        names, titles = numbers[:first_title], numbers[first_title:]
        wider = [word for key, word in self._wider if _begins(key, typed)]
        names_that_begin = [number for number in names if _begins(self._keys[number], typed)]
        yield from self._likely(wider, names_that_begin)
        shortest_first = sorted(names_that_begin, key=lambda number: len(self._keys[number]))
        yield from map(self._diagnosis, shortest_first)
        yield from _families(wider)
        yield from (self._diagnosis(number) for number in names if _has(self._keys[number], typed))
        for fits in (_begins, _has):
            yield from (
                self._intervention(number) for number in titles if fits(self._keys[number], typed)
            )

    def _likely(self, wider: Sequence[WiderWord], names: Sequence[int]) -> Iterator[Suggested]:
        """Yield the diagnoses of the wider words, by one of these names if they have one."""
        places = {
            diagnosis_id: (place, number)
            for number, word in reversed([*enumerate(wider)])
            for place, diagnosis_id in enumerate(word.diagnosis_ids)
        }
        by_diagnosis = {self._names[number].diagnosis_id: number for number in reversed(names)}
        for diagnosis_id in sorted(places, key=places.__getitem__):
            if diagnosis_id in by_diagnosis:
                yield self._diagnosis(by_diagnosis[diagnosis_id])
            else:
                name = self._name_of[diagnosis_id]
                yield Suggested("diagnosis", name, wider[0].text, diagnosis_id)

    def _diagnosis(self, number: int) -> Suggested:
        name = self._names[number]
        diagnosis_id = name.diagnosis_id or ""
        matched = name.text if name.by is MatchedBy.TERM else ""
        return Suggested("diagnosis", self._name_of[diagnosis_id], matched, diagnosis_id)

    def _intervention(self, number: int) -> Suggested:
        intervention = self._interventions[number - len(self._names)]
        diagnosis_id = intervention.diagnosis_id
        name = self._name_of[diagnosis_id]
        return Suggested("intervention", intervention.title, name, diagnosis_id, intervention.id)

    def _with_words(self, typed: _Key) -> list[int]:
        """Return the numbers of the items with these words, the last one as a beginning.

        All typed words may also be the beginning of one word: 'herz insuff'.
        """
        others = (self._numbers_of.get(word, ()) for word in typed[:-1])
        separate = set(self._with_beginning(typed[-1])).intersection(*others)
        return sorted(separate.union(self._with_beginning("".join(typed))))

    def _with_beginning(self, beginning: str) -> Iterator[int]:
        """Yield the numbers of the items that have a word that begins like this."""
        for word in islice(self._words, bisect_left(self._words, beginning), None):
            if not word.startswith(beginning):
                break
            yield from self._numbers_of[word]


def _families(wider: Sequence[WiderWord]) -> Iterator[Suggested]:
    """Yield the wider words of several diagnoses, one for those of the same diagnoses."""
    first_word = {word.diagnosis_ids: word for word in reversed(wider)}
    for word in dict.fromkeys(first_word[word.diagnosis_ids] for word in wider):
        if len(word.diagnosis_ids) > 1:
            yield Suggested("wider", word.text, f"{len(word.diagnosis_ids)} diagnoses")


def _begins(key: _Key, typed: _Key) -> bool:
    size = len(typed)
    return (
        key[: size - 1] == typed[:-1] and "".join(key[size - 1 : size]).startswith(typed[-1])
    ) or (size > 1 and key[0].startswith("".join(typed)))


def _has(key: _Key, typed: _Key) -> bool:
    return any(word.startswith(typed[-1]) for word in key[1:]) and {*key} >= {*typed[:-1]}


def _key(text: str) -> _Key:
    return tuple(written_words_of(text))
