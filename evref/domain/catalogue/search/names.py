"""The search of diagnoses by their names and terms."""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice, product

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.search.folding import without, words_of
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.spelling import Spelling

_Words = tuple[str, ...]


class MatchedBy(StrEnum):
    """What of a diagnosis a query matches."""

    NAME = "name"
    TERM = "term"


@dataclass(frozen=True, slots=True)
class Name:
    """One way to call a condition, and its words that count, folded.

    `language` is an ISO 639-1 code. Without a diagnosis, the condition is one that the catalogue
    lacks.
    """

    diagnosis_id: str | None
    text: str
    language: str
    by: MatchedBy
    words: _Words


@dataclass(frozen=True, slots=True)
class Hit:
    """A diagnosis that a query finds, and why: one of its names or terms.

    `is_whole` is whether the query is this name or term and nothing else.
    """

    diagnosis_id: str
    matched: str
    language: str
    by: MatchedBy
    is_whole: bool = False
    spelling_corrected: bool = False


_BESIDE = re.compile(r"\s*\([^)]*\)")
_ABBREVIATION = re.compile(r"\b[A-Z]{3,}\b")
_CLAUSE_END = re.compile(r"[,;:.!?()]")
_NOT_THE_NEXT = "non"

_SHORTEST_BEGINNING = 4
_SHORTEST_SLIP = 4
"""The shortest word with a slip, where the whole query is then a name."""
_SHORTEST_ALONE = 7
"""The shortest word with a slip that is found within a longer query."""
_WORDS_BETWEEN = 2
_MOST_COMBINATIONS = 8
_MOST_NEAR = 3


def names_of(diagnosis: Diagnosis, lexicon: Lexicon, fold: Callable[[str], str]) -> Iterator[Name]:
    """Return the names of a diagnosis: its name, also without what is in brackets, and terms."""

    def name(text: str, language: str, by: MatchedBy, said: str) -> Name:
        words = without(words_of(said, fold), lexicon.stop_words)
        return Name(diagnosis.id, text, language, by, words)

    for said in dict.fromkeys((diagnosis.name, _BESIDE.sub("", diagnosis.name))):
        yield name(diagnosis.name, "en", MatchedBy.NAME, said)
    for language, terms in diagnosis.terms.items():
        for term in terms:
            yield name(term, language, MatchedBy.TERM, term)


class NameIndex:
    """The names of all diagnoses by their words."""

    def __init__(self, names: Iterable[Name], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        absent = (Name(None, "", "", MatchedBy.NAME, words) for words in lexicon.absent)
        self._names = (*names, *absent)
        self._with: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, name in enumerate(self._names):
            for word in name.words:
                self._with[word].append(number)
        self._sorted = sorted(self._with)
        self._spelling = Spelling(self._sorted, lexicon.opposites)
        self._abbreviations = _unambiguous_abbreviations(self._names)

    def find(self, text: str) -> list[Hit]:
        """Return the diagnoses that the text finds, best first."""
        every = self._spelled_out(words_of(text))
        whole = self._hits(self._whole(every), text, is_whole=True)
        words = self._affirmed(text)
        if whole or self._says_nothing(every) or self._says_nothing(words):
            return whole
        return next(filter(None, self._passes(words, text)), [])

    def near(self, text: str) -> dict[str, str]:
        """Return the ids of up to three diagnoses, with their name nearest to the text.

        The nearest shares the rarest words with it. A text of one word is near none.
        """
        words = self._affirmed(text)
        weights: defaultdict[int, float] = defaultdict(float)
        if len(words) > 1:
            for word in set(words) - self._lexicon.generic_words:
                for known in (word,) if word in self._with else self._spelling.nearest(word):
                    rarity = math.log(len(self._names) / len(self._with[known]))
                    for number in self._with[known]:
                        weights[number] += rarity
        best: dict[str, str] = {}
        for number in sorted(weights, key=lambda n: (-weights[n], len(self._names[n].words), n)):
            name = self._names[number]
            if name.diagnosis_id is not None:
                best.setdefault(name.diagnosis_id, name.text)
            if len(best) == _MOST_NEAR:
                break
        return best

    def _passes(self, words: _Words, text: str) -> Iterator[list[Hit]]:
        # Not the whole query, which was tried before: a negation or a part of it was left out.
        yield [replace(hit, is_whole=False) for hit in self._as_written(words, text)]
        yield self._as_corrected(words, [self._joined(words)])
        yield self._as_corrected(words, self._corrections(words, Spelling.SHORTEST))
        if len(words) > 1:
            yield self._as_corrected(
                words, self._corrections(words, _SHORTEST_SLIP), only_whole=True
            )
        yield self._hits([self._abbreviations.get(word) for word in words], text)

    def _as_written(self, words: _Words, text: str) -> list[Hit]:
        return (
            self._hits(self._whole(words), text, is_whole=True)
            or self._hits(self._having(words), text)
            or self._hits(self._beginning(words), text)
            or self._hits(self._within(words), text, longest_first=True)
        )

    def _as_corrected(
        self, words: _Words, queries: Iterable[_Words], *, only_whole: bool = False
    ) -> list[Hit]:
        found: dict[str, Hit] = {}
        for query in queries:
            if query == words or self._says_nothing(query):
                continue
            for hit in self._as_written(query, " ".join(query)):
                by_chance = len(query) > 1 and len(hit.matched) < _SHORTEST_ALONE
                if hit.is_whole or not (only_whole or by_chance):
                    corrected = replace(hit, is_whole=False, spelling_corrected=True)
                    found.setdefault(hit.diagnosis_id, corrected)
        return list(found.values())

    def _affirmed(self, text: str) -> _Words:
        """Return the words that count, without those that a negation precedes in their clause."""
        kept: list[str] = []
        for clause in _CLAUSE_END.split(text):
            words = words_of(clause)
            end = min(
                (
                    start
                    for negation in self._lexicon.negations
                    for start in range(len(words))
                    if tuple(words[start : start + len(negation)]) == negation
                ),
                default=len(words),
            )
            kept += (
                word
                for before, word in zip(["", *words], words[:end], strict=False)
                if _NOT_THE_NEXT not in {before, word}
            )
        return self._spelled_out(kept)

    def _spelled_out(self, words: Iterable[str]) -> _Words:
        """Return the words that count, and for abbreviations that no name has their words."""
        found: list[str] = []
        for word in without(words, self._lexicon.stop_words):
            if word in self._with:
                found.append(word)
            else:
                found += self._lexicon.abbreviations.get(word, (word,))
        return tuple(dict.fromkeys(found))

    def _says_nothing(self, words: _Words) -> bool:
        """Return whether the words are a condition that the catalogue lacks, or name none."""
        slight = self._lexicon.generic_words | self._lexicon.care_words
        return slight.issuperset(words) or any(
            name.diagnosis_id is None for name in self._same(words)
        )

    def _whole(self, words: _Words) -> list[Name]:
        return [name for name in self._same(words) if name.diagnosis_id is not None]

    def _same(self, words: _Words) -> Iterator[Name]:
        return (name for name in self._having(words) if len(name.words) == len(words))

    def _having(self, words: _Words) -> Iterator[Name]:
        """Return the names with all these words."""
        rarest = min((self._with.get(word, ()) for word in words), key=len, default=())
        wanted = frozenset(words)
        return (
            self._names[number] for number in rarest if wanted.issubset(self._names[number].words)
        )

    def _beginning(self, words: _Words) -> Iterator[Name]:
        """Return the names with all these words, the last one as the beginning of a word."""
        *others, last = words
        if len(last) >= _SHORTEST_BEGINNING:
            for word in islice(self._sorted, bisect_left(self._sorted, last), None):
                if not word.startswith(last):
                    break
                yield from self._having((*others, word))

    def _within(self, words: _Words) -> list[Name]:
        """Return the names that are wholly within these words, the longest only."""
        counts: Counter[int] = Counter()
        for word in words:
            counts.update(self._with.get(word, ()))
        found: list[tuple[frozenset[str], Name]] = []
        for number, count in counts.items():
            name = self._names[number]
            needed = name.words
            if count < len(needed):
                needed = tuple(word for word in needed if word not in self._lexicon.generic_words)
                if len(needed) == 1 or not set(needed).issubset(words):
                    continue
            places = [words.index(word) for word in needed]
            if max(places) - min(places) < len(needed) + _WORDS_BETWEEN:
                found.append((frozenset(needed), name))
        # What the catalogue lacks comes first: pulmonary hypertension is not hypertension.
        found.sort(key=lambda item: (-len(item[0]), item[1].diagnosis_id is not None))
        longest: list[tuple[frozenset[str], Name]] = []
        for phrase, name in found:
            if not any(
                phrase < other or (longer.diagnosis_id is None and phrase & other)
                for other, longer in longest
            ):
                longest.append((phrase, name))
        return [name for _, name in longest]

    def _joined(self, words: _Words) -> _Words:
        """Return the words with the first two joined that then are a known word."""
        for number in range(len(words) - 1):
            joined = words[number] + words[number + 1]
            if joined in self._with:
                return (*words[:number], joined, *words[number + 2 :])
        return words

    def _corrections(self, words: _Words, shortest: int) -> Iterator[_Words]:
        variants = [self._variants(word, shortest) for word in words]
        for combination in islice(product(*variants), _MOST_COMBINATIONS):
            yield tuple(dict.fromkeys(word for part in combination for word in part))

    def _variants(self, word: str, shortest: int) -> list[_Words]:
        """Return what an unknown word may stand for; a known word stands for itself."""
        if word in self._with:
            return [(word,)]
        near = self._spelling.nearest(word, shortest=shortest)
        parts = ((word[:cut], word[cut:]) for cut in range(3, len(word) - 2))
        apart = (both for both in parts if all(part in self._with for part in both))
        return [(each,) for each in near] or [next(apart, (word,))]

    def _hits(
        self,
        names: Iterable[Name | None],
        text: str,
        *,
        is_whole: bool = False,
        longest_first: bool = False,
    ) -> list[Hit]:
        """Return one hit a diagnosis, best first: by the length of the name, then in order."""
        typed = text.casefold()
        best: dict[str, tuple[tuple[bool | int, ...], int, Name]] = {}
        for name in names:
            if name is not None and name.diagnosis_id is not None:
                length = -len(name.words) if longest_first else len(name.words)
                rank = (
                    typed not in name.text.casefold(),
                    length if longest_first else 0,
                    name.language != "en",
                    length,
                    name.by is MatchedBy.TERM,
                )
                _, place, _ = known = best.get(name.diagnosis_id, (rank, len(best), name))
                best[name.diagnosis_id] = (rank, place, name) if rank < known[0] else known
        return [
            Hit(diagnosis_id, name.text, name.language, name.by, is_whole)
            for diagnosis_id, (_, _, name) in sorted(
                best.items(), key=lambda item: (item[1][0][3], item[1][1])
            )
        ]


def _unambiguous_abbreviations(names: Iterable[Name]) -> dict[str, Name]:
    """Return the shortest name with each abbreviation that the names of one diagnosis have."""
    found: dict[str, Name | None] = {}
    for name in names:
        for word in _ABBREVIATION.findall(name.text):
            key = word.casefold()
            other = found.setdefault(key, name)
            if other is not None and other.diagnosis_id != name.diagnosis_id:
                found[key] = None
            elif other is not None and len(name.words) < len(other.words):
                found[key] = name
    return {word: name for word, name in found.items() if name is not None}
