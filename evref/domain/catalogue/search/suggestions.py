"""Suggestions while one types: what begins with the text, and then what the text finds."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord

SHORTEST = 3
"""Characters."""

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggested:
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

    def __init__(self, catalogue: Catalogue, lexicon: Lexicon) -> None:
        by_id = {entry.diagnosis.id: entry.diagnosis for entry in catalogue.entries}
        self._wider: list[tuple[_Key, WiderWord]] = [
            (_key(word.text), word.among(by_id)) for word in lexicon.wider
        ]
        self._name = {name: diagnosis.name for name, diagnosis in by_id.items()}
        names = [Suggested("diagnosis", name, "", one) for one, name in self._name.items()]
        terms = [
            Suggested("diagnosis", diagnosis.name, term, diagnosis.id)
            for diagnosis in by_id.values()
            for several in diagnosis.terms.values()
            for term in several
        ]
        titles = [
            Suggested("intervention", one.title, entry.diagnosis.name, entry.diagnosis.id, one.id)
            for entry in catalogue.entries
            for one in entry.visible_interventions()
        ]
        self._titles_from = len(names) + len(terms)
        self._items = [
            *((_key(one.name), one) for one in names),
            *((_key(one.matched), one) for one in terms),
            *((_key(one.name), one) for one in titles),
        ]
        having: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, (key, _) in enumerate(self._items):
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
        numbers = sorted({*self._with_word(typed[-1]), *self._with_word("".join(typed))})
        titles = bisect_left(numbers, self._titles_from)
        named = [self._items[number] for number in numbers[:titles]]
        some = [(key, one) for key, one in named if _begins(key, typed)]
        mine = {one.diagnosis_id: one for _, one in reversed(some)}
        for diagnosis_id in sorted(likely, key=likely.__getitem__):
            likeliest = Suggested(
                "diagnosis", self._name[diagnosis_id], wider[0].text, diagnosis_id
            )
            yield mine.get(diagnosis_id, likeliest)
        yield from (one for _, one in sorted(some, key=lambda item: len(item[0])))
        several = {word.diagnosis_ids: word for word in reversed(wider)}
        for word in dict.fromkeys(several[word.diagnosis_ids] for word in wider):
            if len(word.diagnosis_ids) > 1:
                yield Suggested("wider", word.text, f"{len(word.diagnosis_ids)} diagnoses")
        yield from (one for key, one in named if _has(key, typed))
        for fits in (_begins, _has):
            for number in numbers[titles:]:
                key, one = self._items[number]
                if fits(key, typed):
                    yield one

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
