"""The search of diagnoses by their names and terms."""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice, pairwise, product
from typing import NamedTuple

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.search.folding import (
    fold,
    in_one_spelling,
    without,
    words_of,
)
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.spelling import Spelling
from evref.domain.catalogue.search.synonyms import Words


class MatchedBy(StrEnum):
    """What of a diagnosis a query matches."""

    NAME = "name"
    TERM = "term"
    UMBRELLA = "umbrella"
    """A word wider than one diagnosis."""


class Name(NamedTuple):
    """One way to call a condition, its words, and those that count, folded.

    `language` is an ISO 639-1 code. Without a diagnosis, it is a `wider` word, or the condition is
    one that the catalogue lacks.
    """

    diagnosis_id: str | None
    text: str
    language: str
    by: MatchedBy
    words: Words
    wider: WiderWord | None = None
    written: Words = ()

    @property
    def is_absent(self) -> bool:
        return self.diagnosis_id is None and self.wider is None


@dataclass(frozen=True, slots=True)
class Hit:
    """A diagnosis that a query finds, and why: one of its names or terms.

    `is_whole` is whether the query is this name or term and nothing else. A wider word has no
    `language`.
    """

    diagnosis_id: str
    matched: str
    language: str | None
    by: MatchedBy
    is_whole: bool = False
    spelling_corrected: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A name within a query, and which of the query's words it has."""

    name: Name
    words: frozenset[str]


_TAG = re.compile(
    r"\s*\((?:disorder|finding|situation|event|procedure|morphologic abnormality)\)\s*$",
    re.IGNORECASE,
)
"""A semantic tag of SNOMED CT."""
_BESIDE = re.compile(r"\s*\([^)]*\)")
_ABBREVIATION = re.compile(r"\b[A-Z]{3,}\b")
_CLAUSE_END = re.compile(r"[,;:.!?]|\b(?:but|aber|sondern)\b", re.IGNORECASE)
_NOT_THE_NEXT = "non"
_OF = frozenset({"of", "for", "von", "auf", "fur"})
_V_A = re.compile(r"\b(V|Z)\.\s*([an])\.", re.IGNORECASE)
"""German for suspected (Verdacht auf) and for the state after (Zustand nach)."""

_SHORTEST_BEGINNING = 4
_SHORTEST_SLIP = 4
"""The shortest word with a slip, where the whole query is then a name."""
_SHORTEST_ALONE = 7
"""The shortest word with a slip that is found within a longer query."""
_WORDS_BETWEEN = 2
_FEW = 2
"""In longer queries, a single ordinary word of a longer name is not a hit."""
_MOST_COMBINATIONS = 8
_MOST_NEAR = 3


def names_of(diagnosis: Diagnosis, lexicon: Lexicon, fold: Callable[[str], str]) -> Iterator[Name]:
    """Return the names of a diagnosis: its name, also without what is in brackets, and terms."""

    def name(text: str, language: str, by: MatchedBy, said: str) -> Name:
        written = words_of(said, str)
        words = without(map(fold, written), lexicon.stop_words)
        return Name(diagnosis.id, text, language, by, words, written=tuple(written))

    for said in dict.fromkeys((diagnosis.name, _BESIDE.sub("", diagnosis.name))):
        yield name(diagnosis.name, "en", MatchedBy.NAME, said)
    for language, terms in diagnosis.terms.items():
        for term in terms:
            yield name(term, language, MatchedBy.TERM, term)


class NameIndex:
    """The names of all diagnoses by their words.

    `right` are other words that are spelled correctly.
    """

    def __init__(
        self, names: Iterable[Name], lexicon: Lexicon, right: Collection[str] = frozenset()
    ) -> None:
        self._lexicon = lexicon
        self._slight = lexicon.generic_words | lexicon.care_words | lexicon.slight_words
        names = tuple(names)
        ids = {name.diagnosis_id for name in names}
        wider = [
            Name(
                *(None, word.text, "", MatchedBy.UMBRELLA, word.words, known),
                written=tuple(words_of(word.text, str)),
            )
            for word in lexicon.wider
            if (known := word.among(ids)).diagnosis_ids
        ]
        taken = {frozenset(name.words) for name in wider}
        absent = (
            Name(None, "", "", MatchedBy.NAME, words)
            for words in lexicon.absent
            if frozenset(words) not in taken
        )
        self._names = (*names, *wider, *absent)
        self._with: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, name in enumerate(self._names):
            for word in name.words:
                self._with[word].append(number)
        self._telling = [
            tuple(word for word in name.words if word not in lexicon.generic_words)
            for name in self._names
        ]
        self._right = right
        written = {word for name in self._names for word in name.written}
        written.update(word for short in lexicon.abbreviations for word in words_of(short, str))
        self._spelled = set(map(in_one_spelling, written))
        self._sorted = sorted(self._with)
        self._spelling = Spelling(self._sorted, lexicon.opposites)
        self._abbreviations = _unambiguous_abbreviations(
            name for name in self._names if name.wider is None
        )

    def find(self, text: str, *, of_a_record: bool = False) -> tuple[list[Hit], WiderWord | None]:
        """Return the diagnoses that the text finds, best first, and the wider word that it has.

        Wider words do not count in the text of a patient's record.
        """
        text = _TAG.sub("", text)
        typed = words_of(text)
        every = self._spelled_out(typed)
        whole = self._hits(self._whole(every), text, is_whole=True)
        words = self._affirmed(text)
        wider = None if of_a_record else self._wider(words)
        if wider is None and (whole or self._says_nothing(every) or self._says_nothing(words)):
            return self._as_spelled(whole, text), None
        is_long = len(typed) > _FEW
        for hits, wider in self._passes(words, text, of_a_record=of_a_record, is_long=is_long):
            if hits:
                return self._as_spelled(hits, text), wider
        return [], None

    def near(self, text: str) -> dict[str, str]:
        """Return the ids of up to three diagnoses, with their name nearest to the text.

        The nearest shares the rarest words with it. A text of one word is near none.
        """
        text = _TAG.sub("", text)
        words = self._affirmed(text)
        weights: defaultdict[int, float] = defaultdict(float)
        if len(without(words_of(text), self._lexicon.stop_words)) > 1:
            for word in set(words) - self._slight:
                for known in (word,) if self.is_right(word) else self._spelling.nearest(word):
                    if known not in self._slight and known in self._with:
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

    def absent(self, text: str) -> str | None:
        """Return the words of the text that name a condition which the catalogue lacks."""
        spans = self.spans(self._affirmed(text))
        lacked = next((span.words for span in spans if span.name.is_absent), frozenset())
        parts = (part for part in text.split() if not lacked.isdisjoint(words_of(part)))
        return " ".join(parts) or None

    def spans(self, words: Words) -> list[Span]:
        """Return the names that are wholly within these words, the longest only."""
        counts: Counter[int] = Counter()
        for word in words:
            counts.update(self._with.get(word, ()))
        spans: list[Span] = []
        for number, count in counts.items():
            name = self._names[number]
            needed = name.words
            if count < len(needed):
                needed = self._telling[number]
                if not 1 < len(needed) <= count or name.wider or not set(needed).issubset(words):
                    continue
            places = [words.index(word) for word in needed]
            if max(places) - min(places) < len(needed) + _WORDS_BETWEEN:
                spans.append(Span(name, frozenset(needed)))
        # What the catalogue lacks comes first: pulmonary hypertension is not hypertension.
        spans.sort(key=lambda span: (-len(span.words), not span.name.is_absent))
        longest: list[Span] = []
        for span in spans:
            if not any(
                span.words < other.words or (other.name.is_absent and span.words & other.words)
                for other in longest
            ):
                longest.append(span)
        return longest

    def abbreviation(self, word: str) -> Name | None:
        """Return the name with this abbreviation that only one diagnosis has in its names."""
        return self._abbreviations.get(word)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self._sorted)

    def words_by_diagnosis(self) -> dict[str, set[str]]:
        """Return the words of all names of each diagnosis."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for name in self._names:
            if name.diagnosis_id is not None:
                found[name.diagnosis_id].update(name.words)
        return found

    def spelled_out(self, words: Iterable[str]) -> list[tuple[str, ...]]:
        """Return for each word itself, or for an abbreviation that no name has its words."""
        return [
            (word,) if word in self._with else self._lexicon.abbreviations.get(word, (word,))
            for word in words
        ]

    def _wider(self, words: Words) -> WiderWord | None:
        """Return the longest of the wider words in these; of several, the first."""
        wider = [span for span in self.spans(words) if span.name.wider]
        longest = min(
            wider,
            key=lambda span: (-len(span.words), min(map(words.index, span.words))),
            default=None,
        )
        return None if longest is None else longest.name.wider

    def _passes(
        self, words: Words, text: str, *, of_a_record: bool, is_long: bool
    ) -> Iterator[tuple[list[Hit], WiderWord | None]]:
        def written(words: Words, text: str) -> tuple[list[Hit], WiderWord | None]:
            return self._as_written(words, text, of_a_record=of_a_record, is_long=is_long)

        def corrected(
            queries: Iterable[Words], *, only_whole: bool = False
        ) -> tuple[list[Hit], WiderWord | None]:
            found: dict[str, Hit] = {}
            wider = None
            for query in queries:
                if query == words:
                    continue
                hits, word = written(query, " ".join(query))
                wider = wider or word
                if word is None and self._says_nothing(query):
                    continue
                for hit in hits:
                    by_chance = len(query) > 1 and len(hit.matched) < _SHORTEST_ALONE
                    if word or hit.is_whole or not (only_whole or by_chance):
                        slip = replace(hit, is_whole=False, spelling_corrected=True)
                        found.setdefault(hit.diagnosis_id, slip)
            return list(found.values()), wider

        slip = next(iter(self._corrections(words, Spelling.SHORTEST)), words)
        if not any(one.startswith(word) for one, word in zip(slip, words, strict=False)):
            # A whole name with a slip, rather than a longer name that begins like this.
            yield corrected([slip], only_whole=True)
        # Not the whole query, which was tried before: a negation or a part of it was left out.
        hits, wider = written(words, text)
        yield [replace(hit, is_whole=hit.is_whole and bool(wider)) for hit in hits], wider
        yield corrected([self._joined(words)])
        yield corrected(self._corrections(words, Spelling.SHORTEST))
        if len(words) > 1:
            yield corrected(self._corrections(words, _SHORTEST_SLIP), only_whole=True)
        yield self._hits([self._abbreviations.get(word) for word in words], text), None

    def _as_written(
        self, words: Words, text: str, *, of_a_record: bool, is_long: bool
    ) -> tuple[list[Hit], WiderWord | None]:
        whole = self._hits(self._whole(words), text, is_whole=True)
        wider = self._wider(words)
        if wider is not None and not of_a_record:
            several = len(wider.diagnosis_ids) > 1
            is_all = set(wider.words) == set(words) and not several
            hits = {
                name: Hit(name, wider.text, None, MatchedBy.UMBRELLA, is_all)
                for name in wider.diagnosis_ids
            }
            others = self._hits((span.name for span in self.spans(words)), text)
            for hit in (*(replace(one, is_whole=False) for one in whole), *others):
                hits.setdefault(hit.diagnosis_id, hit)
            return list(hits.values()), wider
        if whole or self._says_nothing(words):
            return whole, None
        by_one_word = len(words) == 1 and is_long
        if wider is not None and {*wider.words} == {*words}:
            return [], None
        return (
            ([] if by_one_word else self._hits(self._having(words), text))
            or ([] if by_one_word else self._hits(self._beginning(words), text))
            or self._hits((span.name for span in self.spans(words)), text, longest_first=True)
        ), None

    def _as_spelled(self, hits: list[Hit], text: str) -> list[Hit]:
        """Return the hits, marked if the text has a word that nobody spells like this."""
        is_right = all(
            in_one_spelling(word) in self._spelled or fold(word) not in self._with
            for word in words_of(text, str)
        )
        return [
            hit if is_right else replace(hit, is_whole=False, spelling_corrected=True)
            for hit in hits
        ]

    def is_right(self, word: str) -> bool:
        """Return whether a word is spelled correctly, as far as is known."""
        return word in self._with or word in self._right

    def _affirmed(self, text: str) -> Words:
        """Return the words that count, without those that a negation precedes in their clause.

        Nor do those count that precede a word such as screening.
        """
        kept: list[str] = []
        for clause in _CLAUSE_END.split(_V_A.sub(r"\1\2 ", text)):
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
            after = [
                place
                for place, (word, following) in enumerate(pairwise([*words, ""]))
                if place and word in self._lexicon.negations_after and following not in _OF
            ]
            start = max(after, default=-1) + 1
            kept += (
                word
                for before, word in islice(pairwise(["", *words]), start, max(start, end))
                if _NOT_THE_NEXT not in {before, word}
            )
        return self._spelled_out(kept)

    def _spelled_out(self, words: Iterable[str]) -> Words:
        """Return the words that count, and for abbreviations that no name has their words."""
        several = self.spelled_out(without(words, self._lexicon.stop_words))
        return tuple(dict.fromkeys(word for one in several for word in one))

    def _says_nothing(self, words: Words) -> bool:
        """Return whether the words are a condition that the catalogue lacks, or name none."""
        return self._slight.issuperset(words) or any(name.is_absent for name in self._same(words))

    def _whole(self, words: Words) -> list[Name]:
        return [name for name in self._same(words) if name.diagnosis_id is not None]

    def _same(self, words: Words) -> Iterator[Name]:
        return (name for name in self._having(words) if len(name.words) == len(words))

    def _having(self, words: Words) -> Iterator[Name]:
        """Return the names with all these words."""
        rarest = min((self._with.get(word, ()) for word in words), key=len, default=())
        wanted = frozenset(words)
        return (
            self._names[number] for number in rarest if wanted.issubset(self._names[number].words)
        )

    def _beginning(self, words: Words) -> Iterator[Name]:
        """Return the names with all these words, the last one as the beginning of a word."""
        *others, last = words
        if len(last) >= _SHORTEST_BEGINNING:
            for word in islice(self._sorted, bisect_left(self._sorted, last), None):
                if not word.startswith(last):
                    break
                yield from self._having((*others, word))

    def _joined(self, words: Words) -> Words:
        """Return the words with the first two joined that then are a known word."""
        for number in range(len(words) - 1):
            joined = words[number] + words[number + 1]
            if joined in self._with:
                return (*words[:number], joined, *words[number + 2 :])
        return words

    def _corrections(self, words: Words, shortest: int) -> Iterator[Words]:
        variants = [self._variants(word, shortest) for word in words]
        for combination in islice(product(*variants), _MOST_COMBINATIONS):
            yield tuple(dict.fromkeys(word for part in combination for word in part))

    def _variants(self, word: str, shortest: int) -> list[Words]:
        """Return what an unknown word may stand for; a known word stands for itself."""
        if self.is_right(word):
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
        best: dict[str, tuple[_Rank, int, Name]] = {}
        for name in names:
            if name is not None and name.diagnosis_id is not None:
                length = -len(name.words) if longest_first else len(name.words)
                rank = _Rank(
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
                best.items(), key=lambda item: _by_length_then_place(*item[1])
            )
        ]


class _Rank(NamedTuple):
    """How good a name is among those of its diagnosis; the better is the smaller."""

    is_not_typed: bool
    longest: int
    is_foreign: bool
    length: int
    is_term: bool


def _by_length_then_place(rank: _Rank, place: int, _: Name) -> tuple[int, int]:
    return rank.length, place


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
