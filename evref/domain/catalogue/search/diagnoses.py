"""The search of diagnoses: which diagnoses a text names, and by which names.

A text is compared with the names in steps. Each step is taken only if no step before it found
anything:

1. a name that is the whole text, unless its last word has a slip and begins a longer word;
2. a whole name with a slip of spelling, unless the text begins a longer name;
3. the text as it is written: a wider word in it, names that have all its words (the last one as
   the beginning of a word), names within it;
4. the same with two words joined, and with slips of spelling corrected;
5. an abbreviation that only one diagnosis has.

From step 2 on, only what the text affirms is compared. A text that names a condition which the
catalogue lacks, or that has only words that say little, ends after step 1.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from evref.domain.catalogue.search.corrections import Corrections
from evref.domain.catalogue.search.folding import Phrase, without, words_of, written_words_of
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.name_index import NameIndex
from evref.domain.catalogue.search.names import MatchedBy, Name
from evref.domain.catalogue.search.negation import affirmed_words
from evref.domain.catalogue.search.spelling import Spelling

_SEMANTIC_TAG = re.compile(
    r"\s*\((?:disorder|finding|situation|event|procedure|morphologic abnormality)\)\s*$",
    re.IGNORECASE,
)
"""What SNOMED CT writes at the end of a name."""
_SHORTEST_SLIP = 4
"""The shortest word with a slip, where the whole query is then a name."""
_SHORTEST_WITH_SLIP = 7
"""The shortest name that a text with slips and other words finds: a shorter one is by chance."""
_SHORT_TEXT = 2
"""In texts of more words, a single ordinary word of a longer name is not a hit."""
_MOST_NEAR = 3
_FEWEST_WORDS_NEAR = 2


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


class Hits(NamedTuple):
    """Hits, best first, and the wider word by which they were found, if there is one."""

    hits: list[Hit]
    wider: WiderWord | None = None


class _Query(NamedTuple):
    """A text with its words that count, which it affirms."""

    text: str
    words: Phrase
    is_long: bool
    of_a_record: bool

    @property
    def is_one_word_of_many(self) -> bool:
        """Whether a single word of a long text is left, which finds no longer name."""
        return self.is_long and len(self.words) == 1


class _Rank(NamedTuple):
    """How well a name fits, compared with other names of its diagnosis; smaller is better."""

    lacks_text: bool
    """Whether the text as it was typed is not in the name."""
    negative_length: int
    """If the longest name is the best: its number of words, negative; else 0."""
    is_foreign: bool
    length: int
    """The number of words, negative if the longest name is the best."""
    is_term: bool


class DiagnosisSearch:
    """Finds diagnoses by the words of their names."""

    def __init__(self, index: NameIndex, lexicon: Lexicon) -> None:
        self._index = index
        self._lexicon = lexicon
        self._slight_words = lexicon.generic_words | lexicon.care_words | lexicon.slight_words
        self._spelling = Spelling(index.words, lexicon.opposites)
        self._corrections = Corrections(index, self._spelling)

    def find(self, text: str, *, of_a_record: bool = False) -> Hits:
        """Return the diagnoses that the text finds.

        Wider words do not count in the text of a patient's record.
        """
        text = _SEMANTIC_TAG.sub("", text)
        typed = words_of(text)
        words = self._index.words_that_count(typed)
        affirmed = self._affirmed(text)
        query = _Query(text, affirmed, len(typed) > _SHORT_TEXT, of_a_record)
        if self._index.have_slips(written_words_of(text)[-1:]):
            # An "accident" that is not complete, rather than "acidez" with a slip.
            completed = self._completed(query)
            if completed:
                return Hits(completed)
        whole = self._hits(self._index.equal_to(words), text, is_whole=True)
        wider = None if of_a_record else self._index.wider_word(affirmed)
        if wider is None and (whole or self._names_none(words) or self._names_none(affirmed)):
            return Hits(self._with_slips_marked(whole, text))
        for hits, wider in self._steps(query):
            if hits:
                return Hits(self._with_slips_marked(hits, text), wider)
        return Hits([])

    def near(self, text: str) -> dict[str, str]:
        """Return the ids of up to three diagnoses, each with its name nearest to the text.

        The nearest name shares the rarest words with the text. A text of one word has no
        near names.
        """
        text = _SEMANTIC_TAG.sub("", text)
        if len(without(words_of(text), self._lexicon.stop_words)) < _FEWEST_WORDS_NEAR:
            return {}
        names, numbers_of = self._index.names, self._index.numbers_of
        weights: defaultdict[int, float] = defaultdict(float)
        for word in set(self._affirmed(text)) - self._slight_words:
            is_correct = self._index.is_correct(word)
            for known in (word,) if is_correct else self._spelling.nearest(word):
                if known not in self._slight_words and known in numbers_of:
                    rarity = math.log(len(names) / len(numbers_of[known]))
                    for number in numbers_of[known]:
                        weights[number] += rarity
        nearest: dict[str, str] = {}
        for number in sorted(weights, key=lambda n: (-weights[n], len(names[n].words), n)):
            name = names[number]
            if name.diagnosis_id is not None:
                nearest.setdefault(name.diagnosis_id, name.text)
            if len(nearest) == _MOST_NEAR:
                break
        return nearest

    def absent(self, text: str) -> str | None:
        """Return the words of the text that name a condition outside the catalogue."""
        spans = self._index.spans(self._affirmed(text))
        words = next((span.words for span in spans if span.name.is_absent), frozenset())
        parts = (part for part in text.split() if not words.isdisjoint(words_of(part)))
        return " ".join(parts) or None

    def _affirmed(self, text: str) -> Phrase:
        return self._index.words_that_count(affirmed_words(text, self._lexicon))

    def _names_none(self, words: Phrase) -> bool:
        """Return whether the words name a condition outside the catalogue, or all say little."""
        return self._slight_words.issuperset(words) or any(
            name.is_absent for name in self._index.equal_to(words)
        )

    def _steps(self, query: _Query) -> Iterator[Hits]:
        """Yield what each step from the second on finds."""
        words, corrections = query.words, self._corrections
        corrected = next(corrections.of(words), words)
        if not any(new.startswith(old) for new, old in zip(corrected, words, strict=False)):
            # A whole name with a slip, rather than a longer name that begins like this.
            yield self._corrected(query, [corrected], only_whole=True)
        hits, wider = self._as_written(query)
        # Not the whole text, which was tried before: what it does not affirm was left out.
        yield Hits(
            [replace(hit, is_whole=hit.is_whole and wider is not None) for hit in hits], wider
        )
        yield self._corrected(query, [corrections.joined(words)])
        yield self._corrected(query, corrections.of(words))
        if len(words) > 1:
            yield self._corrected(query, corrections.of(words, _SHORTEST_SLIP), only_whole=True)
        abbreviated = map(self._index.abbreviated, words)
        yield Hits(self._hits((name for name in abbreviated if name is not None), query.text))

    def _as_written(self, query: _Query) -> Hits:
        """Return what the words of the query find without a correction."""
        text, words = query.text, query.words
        whole = self._hits(self._index.equal_to(words), text, is_whole=True)
        wider = self._index.wider_word(words)
        if wider is not None and not query.of_a_record:
            return Hits(self._by_wider_word(wider, whole, query), wider)
        if whole or self._names_none(words):
            return Hits(whole)
        if wider is not None and set(wider.words) == set(words):
            return Hits([])
        hits: list[Hit] = []
        if not query.is_one_word_of_many:
            hits = self._hits(self._index.with_all(words), text) or self._completed(query)
        return Hits(hits or self._hits(self._names_within(words), text, longest_first=True))

    def _completed(self, query: _Query) -> list[Hit]:
        """Return what the query finds if its last word is the beginning of a word."""
        if query.is_one_word_of_many:
            return []
        return self._hits(self._index.beginning_with(query.words, query.text), query.text)

    def _by_wider_word(self, wider: WiderWord, whole: Iterable[Hit], query: _Query) -> list[Hit]:
        """Return the diagnoses of the wider word, then those that the other words name."""
        is_whole = len(wider.diagnosis_ids) == 1 and set(wider.words) == set(query.words)
        hits = {
            diagnosis_id: Hit(diagnosis_id, wider.text, None, MatchedBy.UMBRELLA, is_whole)
            for diagnosis_id in wider.diagnosis_ids
        }
        others = self._hits(self._names_within(query.words), query.text)
        for hit in (*(replace(hit, is_whole=False) for hit in whole), *others):
            hits.setdefault(hit.diagnosis_id, hit)
        return list(hits.values())

    def _corrected(
        self, query: _Query, corrections: Iterable[Phrase], *, only_whole: bool = False
    ) -> Hits:
        """Return what the corrections of the query find, marked as corrected.

        With `only_whole`, a correction must be a whole name.
        """
        hits: dict[str, Hit] = {}
        wider = None
        for words in corrections:
            if words == query.words:
                continue
            found = self._as_written(query._replace(text=" ".join(words), words=words))
            wider = wider or found.wider
            if found.wider is None and self._names_none(words):
                continue
            for hit in found.hits:
                by_chance = len(words) > 1 and len(hit.matched) < _SHORTEST_WITH_SLIP
                if found.wider or hit.is_whole or not (only_whole or by_chance):
                    hits.setdefault(hit.diagnosis_id, _as_corrected(hit))
        return Hits(list(hits.values()), wider)

    def _names_within(self, words: Phrase) -> Iterator[Name]:
        return (span.name for span in self._index.spans(words))

    def _with_slips_marked(self, hits: list[Hit], text: str) -> list[Hit]:
        return (
            list(map(_as_corrected, hits))
            if self._index.have_slips(written_words_of(text))
            else hits
        )

    def _hits(
        self,
        names: Iterable[Name],
        text: str,
        *,
        is_whole: bool = False,
        longest_first: bool = False,
    ) -> list[Hit]:
        """Return a hit for each diagnosis of the names, by the best of its names.

        The diagnosis with the shortest name comes first, unless the longest should.
        """
        typed = text.casefold()
        best: dict[str, tuple[_Rank, Name]] = {}
        for name in names:
            if name.diagnosis_id is not None:
                length = -len(name.words) if longest_first else len(name.words)
                rank = _Rank(
                    lacks_text=typed not in name.text.casefold(),
                    negative_length=length if longest_first else 0,
                    is_foreign=name.language != "en",
                    length=length,
                    is_term=name.by is MatchedBy.TERM,
                )
                if name.diagnosis_id not in best or rank < best[name.diagnosis_id][0]:
                    best[name.diagnosis_id] = rank, name
        return [
            Hit(diagnosis_id, name.text, name.language, name.by, is_whole)
            for diagnosis_id, (_, name) in sorted(best.items(), key=_length)
        ]


def _length(ranked: tuple[str, tuple[_Rank, Name]]) -> int:
    _, (rank, _) = ranked
    return rank.length


def _as_corrected(hit: Hit) -> Hit:
    return replace(hit, is_whole=False, spelling_corrected=True)
