"""The index of names: which names have a word, and which names stand in a text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from evref.domain.catalogue.search.folding import (
    Phrase,
    fold,
    in_one_spelling,
    without,
    written_words_of,
)
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.names import MatchedBy, Name

_ABBREVIATION = re.compile(r"\b[A-Z]{3,}\b")
_SHORTEST_BEGINNING = 4
_MOST_WORDS_BETWEEN = 2
"""Other words of a text that may stand between the words of a name.

If only one word of the name says something by itself, one other word may: sore from lying.
"""


@dataclass(frozen=True, slots=True)
class Span:
    """A name within a text, and which of the text's words it has."""

    name: Name
    words: frozenset[str]

    @property
    def diagnosis_ids(self) -> tuple[str, ...]:
        """The diagnoses that the name means; none if the catalogue lacks the condition."""
        if self.name.wider is not None:
            return self.name.wider.diagnosis_ids
        return () if self.name.diagnosis_id is None else (self.name.diagnosis_id,)


class NameIndex:
    """The names of all diagnoses, the wider words, and the conditions that the catalogue lacks.

    `numbers_of` has for each word the numbers of the `names` that have it. Words are folded.
    `correct_words` are words of other texts, which are spelled correctly too.
    """

    def __init__(
        self,
        names_of_diagnoses: Iterable[Name],
        lexicon: Lexicon,
        correct_words: Collection[str] = frozenset(),
    ) -> None:
        self._lexicon = lexicon
        self._correct_words = correct_words
        names = tuple(names_of_diagnoses)
        wider = _wider_names(lexicon.wider, {name.diagnosis_id for name in names})
        absent = _absent_names(lexicon.absent, wider)
        self.names = (*names, *wider, *absent)
        self.numbers_of: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for number, name in enumerate(self.names):
            for word in name.words:
                self.numbers_of[word].append(number)
        whole_names = {frozenset(name.words) for name in names}
        self._specific_words = [
            # Brittle bones are osteoporosis, though the catalogue lacks brittle bone disease.
            () if name.is_absent and frozenset(specific) in whole_names else specific
            for name in self.names
            for specific in [
                tuple(word for word in name.words if word not in lexicon.generic_words)
            ]
        ]
        written = {word for name in self.names for word in name.written}
        written.update(word for short in lexicon.abbreviations for word in written_words_of(short))
        self._spellings = set(map(in_one_spelling, written))
        self.words = sorted(self.numbers_of)
        """All words, in order."""
        self._folded = {word: fold(word) for word in sorted(written)}
        self._words_as_written = list(self._folded)
        # Without the words of conditions that the catalogue lacks, whose spellings are not known.
        self._folded_as_written = frozenset(self._folded.values())
        self._abbreviations = _unambiguous_abbreviations(names)

    def is_correct(self, word: str) -> bool:
        """Return whether a word is known to be spelled correctly."""
        return word in self.numbers_of or word in self._correct_words

    def have_slips(self, written: Iterable[str]) -> bool:
        """Return whether any of the words is known only because folding hides a slip."""
        return any(
            in_one_spelling(word) not in self._spellings and fold(word) in self._folded_as_written
            for word in written
        )

    def spelled_out(self, word: str) -> Phrase:
        """Return the words of an abbreviation that is in no name, else the word itself."""
        if word in self.numbers_of:
            return (word,)
        return self._lexicon.abbreviations.get(word, (word,))

    def words_that_count(self, words: Iterable[str]) -> Phrase:
        """Return the different words that are not stop words, with abbreviations spelled out."""
        counting = without(words, self._lexicon.stop_words)
        return tuple(dict.fromkeys(part for word in counting for part in self.spelled_out(word)))

    def with_all(self, words: Phrase) -> Iterator[Name]:
        """Yield the names that have all these words."""
        rarest = min((self.numbers_of.get(word, ()) for word in words), key=len, default=())
        wanted = frozenset(words)
        return (
            self.names[number] for number in rarest if wanted.issubset(self.names[number].words)
        )

    def has(self, diagnosis_id: str, words: Phrase) -> bool:
        """Return whether a name of the diagnosis has all these words."""
        return any(name.diagnosis_id == diagnosis_id for name in self.with_all(words))

    def equal_to(self, words: Phrase) -> Iterator[Name]:
        """Yield the names that have all these words and no others."""
        return (name for name in self.with_all(words) if len(name.words) == len(words))

    def beginning_with(self, words: Phrase, text: str) -> Iterator[Name]:
        """Yield the names with all these words, the last one as the beginning of a longer word.

        The beginning is compared folded and as the text has it: folded, "obes" has three letters.
        """
        if not words:
            return
        *others, last = words
        as_typed = (word for word in reversed(written_words_of(text)) if fold(word) == last)
        completed = dict.fromkeys(_beginning_with(last, self.words))
        for word in _beginning_with(next(as_typed, last), self._words_as_written):
            completed[self._folded[word]] = None
        completed.pop(last, None)
        for word in completed:
            yield from self.with_all((*others, word))

    def spans(self, words: Phrase) -> list[Span]:
        """Return the names that are wholly within these words, the longest only.

        The generic words of a name, such as disease, may be missing if two others are there.
        """
        counts: Counter[int] = Counter()
        for word in words:
            counts.update(self.numbers_of.get(word, ()))
        spans: list[Span] = []
        for number, count in counts.items():
            name = self.names[number]
            needed = name.words
            if count < len(needed):
                needed = self._specific_words[number]
                if not 1 < len(needed) <= count or name.wider or not set(needed).issubset(words):
                    continue
            positions = [words.index(word) for word in needed]
            between = max(positions) - min(positions) + 1 - len(needed)
            telling = sum(word not in self._lexicon.slight_words for word in needed)
            if between <= min(telling, _MOST_WORDS_BETWEEN):
                spans.append(Span(name, frozenset(needed)))
        return _longest(spans)

    def wider_word(self, words: Phrase) -> WiderWord | None:
        """Return the longest of the wider words within these words; of several, the first."""
        spans = [span for span in self.spans(words) if span.name.wider]
        longest = min(
            spans,
            key=lambda span: (-len(span.words), min(map(words.index, span.words))),
            default=None,
        )
        return None if longest is None else longest.name.wider

    def abbreviated(self, word: str) -> Name | None:
        """Return the name with this abbreviation if only one diagnosis has it in its names."""
        return self._abbreviations.get(word)

    def words_by_diagnosis(self) -> dict[str, set[str]]:
        """Return the words of all names of each diagnosis."""
        words: defaultdict[str, set[str]] = defaultdict(set)
        for name in self.names:
            if name.diagnosis_id is not None:
                words[name.diagnosis_id].update(name.words)
        return words


def _beginning_with(beginning: str, in_order: Sequence[str]) -> Iterator[str]:
    """Yield the words that begin like this; none if it has fewer than four letters."""
    if len(beginning) >= _SHORTEST_BEGINNING:
        for word in islice(in_order, bisect_left(in_order, beginning), None):
            if not word.startswith(beginning):
                break
            yield word


def _wider_names(words: Iterable[WiderWord], ids: Collection[str | None]) -> list[Name]:
    """Return the wider words as names, those of these diagnoses only."""
    return [
        Name(
            diagnosis_id=None,
            text=word.text,
            language="",
            by=MatchedBy.UMBRELLA,
            words=word.words,
            wider=known,
            written=tuple(written_words_of(word.text)),
        )
        for word in words
        if (known := word.among(ids)).diagnosis_ids
    ]


def _absent_names(absent: Iterable[Phrase], wider: Iterable[Name]) -> list[Name]:
    """Return the conditions that the catalogue lacks as names, without those of wider words."""
    taken = {frozenset(name.words) for name in wider}
    return [
        Name(None, "", "", MatchedBy.NAME, words)
        for words in absent
        if frozenset(words) not in taken
    ]


def _longest(spans: list[Span]) -> list[Span]:
    """Return the spans, longest first, without those that are part of another.

    No other span shares a word with a condition that the catalogue lacks: pulmonary hypertension
    is not hypertension.
    """
    longest: list[Span] = []
    for span in sorted(spans, key=lambda span: (-len(span.words), not span.name.is_absent)):
        if not any(
            span.words < other.words or (other.name.is_absent and span.words & other.words)
            for other in longest
        ):
            longest.append(span)
    return longest


def _unambiguous_abbreviations(names: Iterable[Name]) -> dict[str, Name]:
    """Return the shortest name with each abbreviation that the names of one diagnosis have."""
    shortest: dict[str, Name | None] = {}
    for name in names:
        for abbreviation in _ABBREVIATION.findall(name.text):
            word = abbreviation.casefold()
            other = shortest.setdefault(word, name)
            if other is not None and other.diagnosis_id != name.diagnosis_id:
                shortest[word] = None
            elif other is not None and len(name.words) < len(other.words):
                shortest[word] = name
    return {word: name for word, name in shortest.items() if name is not None}
