"""The words that the catalogue and the word lists know, and what an unknown word may stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Set as AbstractSet
from itertools import takewhile

from evref.domain.catalogue.search.folding import Forms, stem, words_of
from evref.domain.catalogue.search.intervention_index import InterventionIndex
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.name_index import NameIndex
from evref.domain.catalogue.search.spelling import Spelling

_SHORTEST_BEGINNING = 4
_SHORTEST_PART = 4
_MOST_BEGINNINGS = 20


class KnownWords:
    """The words of names, of interventions and of the lexicon."""

    def __init__(self, index: InterventionIndex, names: NameIndex, lexicon: Lexicon) -> None:
        self._index, self._names, self._lexicon = index, names, lexicon
        self._diagnoses_by_stem: defaultdict[str, set[str]] = defaultdict(set)
        stems = Forms(stem).__getitem__
        for diagnosis_id, words in names.words_by_diagnosis().items():
            for word in map(stems, words):
                self._diagnoses_by_stem[word].add(diagnosis_id)
        self._stems = sorted(index.known_stems | self._diagnoses_by_stem.keys())
        self._spelling = Spelling(
            sorted(
                word
                for word in index.correct_words.union(names.words)
                if len(word) > _SHORTEST_PART
            ),
            lexicon.opposites,
        )

    def is_known(self, folded: str) -> bool:
        """Return whether a text, name or synonym contains a form of the word."""
        return stem(folded) in self._index.known_stems or self._names.is_correct(folded)

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the words that the catalogue and the lexicon lack; the text if it has no words."""
        if not words_of(text):
            return (text,)
        return tuple(part for part in text.split() if not all(map(self._is_listed, words_of(part))))

    def corrected(self, folded: str) -> str:
        """Return the nearest known word if the word is a slip, else the word itself."""
        if folded in self._index.correct_words or self._names.is_correct(folded):
            return folded
        return next(iter(self._spelling.nearest(folded)), folded)

    def separated(self, folded: str) -> tuple[str, ...]:
        """Return the two known words that an unknown word joins, as in shockwave, else the word."""
        if not self.is_known(folded):
            for cut in range(_SHORTEST_PART, len(folded) - _SHORTEST_PART + 1):
                # German joins many words with an s.
                parts = folded[:cut].removesuffix("s"), folded[cut:]
                if all(map(self.is_known, parts)):
                    return parts
        return (folded,)

    def completed(self, word: str) -> list[str]:
        """Return the stem, or some known stems that begin with it if nothing contains the stem."""
        if (
            len(word) < _SHORTEST_BEGINNING
            or word in self._index.known_stems
            or word in self._diagnoses_by_stem
        ):
            return [word]
        start = bisect_left(self._stems, word)
        following = self._stems[start : start + _MOST_BEGINNINGS]
        return list(takewhile(lambda other: other.startswith(word), following)) or [word]

    def diagnoses_with(self, word: str) -> AbstractSet[str]:
        """Return the ids of the diagnoses that have the stem in a name."""
        return self._diagnoses_by_stem.get(word, frozenset())

    def _is_listed(self, folded: str) -> bool:
        lexicon = self._lexicon
        lists = lexicon.stop_words, lexicon.generic_words, lexicon.care_words, lexicon.abbreviations
        return self.is_known(folded) or any(folded in words for words in lists)
