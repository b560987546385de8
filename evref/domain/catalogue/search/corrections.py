"""Corrects the slips in a text: which known words an unknown word may stand for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from evref.domain.catalogue.search.folding import Phrase
from evref.domain.catalogue.search.name_index import NameIndex
from evref.domain.catalogue.search.spelling import Spelling

_MOST_CORRECTIONS = 8
_SHORTEST_PART = 3


class Corrections:
    """Corrects the words of a text to words of the names."""

    def __init__(self, index: NameIndex, spelling: Spelling) -> None:
        self._index = index
        self._spelling = spelling

    def of(self, words: Phrase, shortest: int = Spelling.SHORTEST) -> Iterator[Phrase]:
        """Yield the words with slips corrected, in at most eight ways.

        Words with fewer letters than `shortest` are not corrected.
        """
        alternatives = [self._of_word(word, shortest) for word in words]
        for combination in islice(product(*alternatives), _MOST_CORRECTIONS):
            yield tuple(dict.fromkeys(word for part in combination for word in part))

    def joined(self, words: Phrase) -> Phrase:
        """Return the words, with the first two joined that together are one known word."""
        for position in range(len(words) - 1):
            joined = words[position] + words[position + 1]
            if joined in self._index.numbers_of:
                return (*words[:position], joined, *words[position + 2 :])
        return words

    def _of_word(self, word: str, shortest: int) -> list[Phrase]:
        """Return what an unknown word may stand for, or the word itself if it is known."""
        if self._index.is_correct(word):
            return [(word,)]
        nearest = self._spelling.nearest(word, shortest=shortest)
        return [(near,) for near in nearest] or [self._separated(word)]

    def _separated(self, word: str) -> Phrase:
        """Return the two known words that are joined in the word, or the word itself."""
        known = self._index.numbers_of
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if word[:cut] in known and word[cut:] in known:
                return word[:cut], word[cut:]
        return (word,)
