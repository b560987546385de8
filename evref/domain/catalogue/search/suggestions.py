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
from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.names import MatchedBy, Name

SHORTEST = 3
"""Characters."""

_Key = tuple[str, ...]


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
        self._name = {entry.diagnosis.id: entry.diagnosis.name for entry in catalogue.entries}
        self._wider: list[tuple[_Key, WiderWord]] = [
            (_key(word.text), word.among(self._name)) for word in lexicon.wider
        ]
        # Names before terms.
        self._names = sorted(names, key=lambda name: name.by is MatchedBy.TERM)
        self._interventions = interventions
        self._keys = [*(name.written for name in self._names), *titles]
        having: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, key in enumerate(self._keys):
            for word in dict.fromkeys(key):
                having[word].append(number)
        self._having = dict(having)
        self._words = sorted(self._having)

    def of(self, text: str) -> Iterator[Suggested]:
        """Yield what begins with the text, and then what has a word that begins with it.

        Interventions come last.
        """
        typed = _key(text)
        if len(text.strip()) < SHORTEST or not typed:
            return
        wider = [word for key, word in self._wider if _begins(key, typed)]
        likely = {
            diagnosis_id: (place, number)
            for number, word in reversed([*enumerate(wider)])
            for place, diagnosis_id in enumerate(word.diagnosis_ids)
        }
        before = (self._having.get(word, ()) for word in typed[:-1])
        some_words = set(self._with_word(typed[-1])).intersection(*before)
        numbers = sorted(some_words.union(self._with_word("".join(typed))))
        titles = bisect_left(numbers, len(self._names))
        named = numbers[:titles]
        some = [number for number in named if _begins(self._keys[number], typed)]
        mine = {self._names[number].diagnosis_id: number for number in reversed(some)}
        for diagnosis_id in sorted(likely, key=likely.__getitem__):
            likeliest = Suggested(
                "diagnosis", self._name[diagnosis_id], wider[0].text, diagnosis_id
            )
            yield self._named(mine[diagnosis_id]) if diagnosis_id in mine else likeliest
        yield from map(self._named, sorted(some, key=lambda number: len(self._keys[number])))
        several = {word.diagnosis_ids: word for word in reversed(wider)}
        for word in dict.fromkeys(several[word.diagnosis_ids] for word in wider):
            if len(word.diagnosis_ids) > 1:
                yield Suggested("wider", word.text, f"{len(word.diagnosis_ids)} diagnoses")
        yield from (self._named(number) for number in named if _has(self._keys[number], typed))
        for fits in (_begins, _has):
            for number in numbers[titles:]:
                if fits(self._keys[number], typed):
                    one = self._interventions[number - len(self._names)]
                    name = self._name[one.diagnosis_id]
                    yield Suggested("intervention", one.title, name, one.diagnosis_id, one.id)

    def _named(self, number: int) -> Suggested:
        name = self._names[number]
        diagnosis_id = name.diagnosis_id or ""
        matched = name.text if name.by is MatchedBy.TERM else ""
        return Suggested("diagnosis", self._name[diagnosis_id], matched, diagnosis_id)

    def _with_word(self, beginning: str) -> Iterator[int]:
        """Yield the numbers of the items that have a word that begins like this."""
        for word in islice(self._words, bisect_left(self._words, beginning), None):
            if not word.startswith(beginning):
                break
            yield from self._having[word]


def _begins(key: _Key, typed: _Key) -> bool:
    size = len(typed)
    return (
        key[: size - 1] == typed[:-1] and "".join(key[size - 1 : size]).startswith(typed[-1])
    ) or (size > 1 and key[0].startswith("".join(typed)))


def _has(key: _Key, typed: _Key) -> bool:
    return any(word.startswith(typed[-1]) for word in key[1:]) and {*key} >= {*typed[:-1]}


def _key(text: str) -> _Key:
    return tuple(words_of(text, str))
