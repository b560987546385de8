"""The reading of a query: each of its words once, by the longest name that has it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import NamedTuple

from evref.domain.catalogue.search.folding import (
    Phrase,
    fold,
    in_digits,
    in_one_spelling,
    place_of,
    stem,
    written_words_of,
)
from evref.domain.catalogue.search.lexicon import (
    SHORTEST_CORRECTED,
    Lexicon,
    Name,
    Spelling,
    letters,
)
from evref.domain.catalogue.search.lists import Facet, Kind
from evref.domain.catalogue.search.texts import Texts

_CHUNK = re.compile(r"[^\s,;:()?!\"\[\]]+")
_TAG = re.compile(
    r"\s*\((disorder|finding|situation|event|procedure|morphologic abnormality)\)\s*$"
)
# A full stop after a single letter ends no clause: V. a. for Verdacht auf.
_CLAUSE_END = re.compile(r"(?:[,;!?]|(?<!\b\w)\.)(?=\s|$)|\b(?:but|aber|sondern)\b", re.IGNORECASE)
_WHAT_NOT_TO_DO = re.compile(r"\bnot (?=(?:to )?do\b)", re.IGNORECASE)
"""Asks what is advised against; the diagnosis that follows is meant."""
_ADDED = re.compile(r",|\b(?:with|without|mit|ohne|avec|sans|con|sin)\b", re.IGNORECASE)
_LONGEST_PHRASE = 6
_REACH = 2
"""How many words from a name one is that makes it another disease."""
_EMPTY = frozenset[int]()


class Word(NamedTuple):
    """A word of a query; `names` are those of which it is the abbreviation."""

    typed: str
    text: str
    folded: str
    stem: str
    names: tuple[Name, ...] = ()
    is_corrected: bool = False


class Named(NamedTuple):
    """The names of words of a query, their places, and those of words that make it another one."""

    names: Sequence[Name]
    places: frozenset[int]
    changed_by: frozenset[int] = _EMPTY

    @property
    def is_absent(self) -> bool:
        return self.names[0].kind is Kind.ABSENT


@dataclass(frozen=True, slots=True)
class Concept:
    """A word or phrase beside the names: its places, its stems, and the facet or the treatment.

    `is_slight` words, such as therapy, say little of what is asked.
    """

    typed: str
    stems: Phrase
    places: frozenset[int]
    facet: Facet | None
    treatment: str | None
    is_slight: bool

    @property
    def is_required(self) -> bool:
        return not (self.facet or self.is_slight)

    @property
    def meaning(self) -> str | None:
        return self.facet.name if self.facet else self.treatment


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a query, the names among them, and the words that it negates."""

    words: tuple[Word, ...]
    named: tuple[Named, ...] = ()
    negated: tuple[str, ...] = ()

    @property
    def meant(self) -> list[Named]:
        """The names of diagnoses and the wider words that count."""
        return [named for named in self.named if not (named.changed_by or named.is_absent)]

    @property
    def covered(self) -> frozenset[int]:
        return _EMPTY.union(*(named.places for named in self.meant))

    @property
    def absent(self) -> list[Named]:
        """The names of conditions that the catalogue lacks."""
        return [named for named in self.named if named.is_absent]

    def is_corrected(self, named: Named) -> bool:
        return any(self.words[place].is_corrected for place in named.places)

    @property
    def is_whole(self) -> bool:
        return any(len(named.places) == len(self.words) for named in self.named)


def typed(words: Sequence[Word], places: Iterable[int]) -> str:
    return " ".join(dict.fromkeys(words[place].typed for place in sorted(places)))


class Reader:
    """Reads queries of people, and names in records."""

    def __init__(self, lexicon: Lexicon, texts: Texts) -> None:
        self.lexicon, self._lists, self._texts = lexicon, lexicon.lists, texts
        self._spelling = Spelling(lexicon.written)

    def read(self, text: str, *, corrects: bool = True) -> Reading:
        """Return the reading of the text; if nothing is named, with slips corrected."""
        clauses = self._clauses(text)
        whole = self._reading(self._affirmed(clauses, ())[0])
        if whole.is_whole and whole.meant:
            return whole
        words, negated = self._affirmed(clauses, self._lists.negations)
        reading = whole if words == whole.words else self._reading(words)
        if corrects and not (reading.meant or reading.absent):
            near = tuple({word.folded: word for word in map(self._corrected, words)}.values())
            corrected = reading if near == words else self._reading(near)
            readings = (reading, corrected, *self._with_one_slip(near))
            reading = max(readings[not reading.named :], key=lambda reading: len(reading.covered))
        return replace(reading, negated=negated)

    def read_name(self, text: str) -> Reading:
        """Return the reading of a name in a record: beside the name, it must say nothing more.

        What follows a comma or a word such as with only adds to the name; wider words name nothing.
        """
        text = _TAG.sub("", text)
        whole = self._reading(self._affirmed(self._clauses(text), ())[0], of_record=True)
        if whole.is_whole:
            return whole
        for part in dict.fromkeys((text, _ADDED.split(text, maxsplit=1)[0])):
            clauses = self._clauses(part)
            words, _ = self._affirmed(clauses, self._lists.negations, self._lists.excluding)
            reading = self._reading(words, of_record=True)
            beside = [word.folded for n, word in enumerate(words) if n not in reading.covered]
            says_little = all(
                word in self._lists.of_records or self.lexicon.is_light(word) for word in beside
            )
            if says_little and reading.meant and len(reading.meant) == len(reading.named):
                return reading
        return replace(whole, named=())

    def concepts(self, words: Sequence[Word], covered: Collection[int]) -> Iterator[Concept]:
        """Yield the longest phrases, and the words between them, beside the covered words."""
        rest = [place for place in range(len(words)) if place not in covered]
        while rest:
            for size in range(min(len(rest), _LONGEST_PHRASE), 0, -1):
                several = [words[place] for place in rest[:size]]
                stems = tuple(word.stem for word in several)
                facet = self.lexicon.facets.get(tuple(word.folded for word in several))
                treatment = self._lists.treatments.get(stems)
                if facet or treatment or size == 1:
                    word, places = several[0], frozenset(rest[:size])
                    says_little = word.folded in self._lists.care or len(word.text) == 1
                    is_slight = size == 1 and says_little
                    yield Concept(typed(words, places), stems, places, facet, treatment, is_slight)
                    rest = rest[size:]
                    break

    def _with_one_slip(self, words: tuple[Word, ...]) -> Iterator[Reading]:
        """Yield the readings that are a name as a whole, with one of several words corrected."""
        for place, word in enumerate(words if 1 < len(words) <= _LONGEST_PHRASE else ()):
            before, after = words[:place], words[place + 1 :]
            if self.lexicon.having_all([other.folded for other in (*before, *after)]):
                for near in self._spelling.near(word.text):
                    corrected = _word(word.typed, near, is_corrected=True)
                    reading = self._reading((*before, corrected, *after))
                    if reading.is_whole and reading.meant:
                        yield reading

    def _clauses(self, text: str) -> list[list[Word]]:
        """Return the words of the text that count, or negate, clause by clause."""
        clauses = []
        for clause in _CLAUSE_END.split(_WHAT_NOT_TO_DO.sub("", text)):
            words = list(self._written(_CHUNK.findall(clause)))
            for place, (before, word) in enumerate(pairwise(words), 1):
                number = in_digits(before.text, word.text)
                words[place] = word if number == word.text else _word(word.typed, number)
            clauses.append(words)
        return clauses

    def _affirmed(
        self,
        clauses: Iterable[list[Word]],
        negations: Sequence[Phrase],
        excluding: frozenset[str] = frozenset(),
    ) -> tuple[tuple[Word, ...], tuple[str, ...]]:
        """Return the different words that count, and as typed those that the text negates.

        A clause with an excluding word negates all of its words.
        """
        signs = excluding.union(*negations)
        affirmed: dict[str, Word] = {}
        negated: dict[str, None] = {}
        for words in clauses:
            folded = tuple(word.folded for word in words)
            ends = [place_of(negation, folded) for negation in negations]
            end = min((place for place in ends if place is not None), default=len(words))
            if not excluding.isdisjoint(folded):
                end = 0
            for place, word in enumerate(words):
                if not word.names and word.folded in self._lists.filling:
                    continue
                if place < end:
                    affirmed.setdefault(word.folded, word)
                elif word.folded not in signs:
                    negated[word.typed] = None
        return tuple(affirmed.values()), tuple(negated)

    def _written(self, chunks: Sequence[str]) -> Iterator[Word]:
        """Yield the words of what is written between spaces, two of which may be one word."""
        place = 0
        while place < len(chunks):
            for size in range(min(2, len(chunks) - place), 0, -1):
                typed = " ".join(chunks[place : place + size]).strip(".'")
                word = self._abbreviation(typed, size == len(chunks)) or self._joined(typed)
                if word is not None:
                    yield word
                    break
            else:
                for written in written_words_of(typed):
                    for part in self.lexicon.parts(written):
                        yield self._word_as_typed(typed, part)
            place += size

    def _joined(self, typed: str) -> Word | None:
        """Return the word that the pieces are together, if they are one: osteo arthritis."""
        pieces, having = written_words_of(typed), self.lexicon.having
        joined = "".join(pieces)
        are_known = all(fold(piece) in having for piece in pieces)
        if are_known or fold(joined) not in having or not self._lists.filling.isdisjoint(pieces):
            return None
        return self._word_as_typed(typed, joined)

    def _word_as_typed(self, typed: str, text: str) -> Word:
        """Return the word; folding doubled letters into one corrects a slip too: athritis."""
        word = _word(typed, text)
        is_known = word.folded in self.lexicon.having
        is_slip = is_known and in_one_spelling(text) not in self.lexicon.spellings
        return word._replace(is_corrected=is_slip)

    def _abbreviation(self, typed: str, is_all: bool) -> Word | None:
        """Return the word if names are abbreviated like this; a usual word only in capitals."""
        known = self.lexicon.abbreviations
        names = [name for key in letters(typed) for name in known.get(key, ())]
        exact = [name for name in names if name.text == typed]
        plain = typed.casefold()
        is_usual = plain in self._lists.short_words or plain in self._lists.filling
        if is_usual and not (is_all or exact or typed.isupper()):
            return None
        absent = [name for name in exact or names if name.kind is Kind.ABSENT]
        meant = tuple(dict.fromkeys(absent or exact or names))
        return _word(typed, plain)._replace(text=typed, names=meant) if meant else None

    def _reading(self, words: tuple[Word, ...], *, of_record: bool = False) -> Reading:
        by_places: defaultdict[frozenset[int], list[Name]] = defaultdict(list)
        for places, names in self._names(words):
            is_part = len(places) < len(words) or any(words[place].is_corrected for place in places)
            for name in names:
                is_alone = name.text in self._lists.alone
                if not ((is_alone and is_part) or (name.kind.is_wider and of_record)):
                    by_places[places].append(name)
        longest = [
            Named(_chosen(names), places)
            for places, names in by_places.items()
            if not any(places < other for other in by_places)
        ]
        absent = _EMPTY.union(*(named.places for named in longest if named.is_absent))
        several = [named for named in longest if named.is_absent or not named.places & absent]
        concepts = [*self.concepts(words, _EMPTY.union(*(named.places for named in several)))]
        asks = of_record or any(concept.treatment for concept in concepts)
        beside = {min(concept.places) for concept in concepts if len(concept.places) == 1}
        changed = (self._changed(named, words, beside, asks=asks) for named in several)
        return Reading(words, tuple(changed))

    def _names(self, words: Sequence[Word]) -> Iterator[tuple[frozenset[int], Sequence[Name]]]:
        """Yield the names within the words, in any order, with only slight words between."""
        having = [frozenset(self.lexicon.having.get(word.folded, ())) for word in words]
        counts, sizes = Counter(chain.from_iterable(having)), self.lexicon.sizes
        is_light = [self.lexicon.is_light(word.folded) for word in words]
        for number in sorted(number for number, count in counts.items() if count == sizes[number]):
            own = frozenset(place for place, numbers in enumerate(having) if number in numbers)
            if all(is_light[place] or place in own for place in range(min(own), max(own))):
                yield own, self.lexicon.names[number]
        for place, word in enumerate(words):
            if word.names:
                yield frozenset({place}), word.names

    def _changed(
        self, named: Named, words: Sequence[Word], beside: Collection[int], *, asks: bool
    ) -> Named:
        """Return the name with the places of single words beside it that make it another disease.

        A word next to it that no text of its interventions has does so, too, unless the text asks
        for a treatment, describes a complaint or abbreviates.
        """
        first, last = min(named.places), max(named.places)
        near = [place for place in range(first - _REACH, last + _REACH + 1) if place in beside]
        changing = [p for p in near if words[p].folded.startswith(self._lists.qualifiers)]
        kinds = {name.kind for name in named.names}
        is_exempt = asks or named.is_absent or Kind.COMPLAINT in kinds or words[first].names
        if not (changing or is_exempt):
            changing = [
                place
                for place in (first - 1, last + 1)
                if place in beside
                and not self.lexicon.is_light(words[place].folded)
                and not self._texts.mention(named.names, words[place].stem)
            ]
        return named._replace(changed_by=frozenset(changing))

    def _corrected(self, word: Word) -> Word:
        """Return the nearest known word for one that is not a right word of any language."""
        right = (self.lexicon.having, self._texts.words, self._lists.right)
        if (
            word.names
            or len(word.text) < SHORTEST_CORRECTED
            or any(word.folded in words for words in right)
        ):
            return word
        near = self._spelling.near(word.text)
        return _word(word.typed, near[0], is_corrected=True) if near else word


def _word(typed: str, text: str, *, is_corrected: bool = False) -> Word:
    folded = fold(text)
    return Word(typed, text, folded, stem(folded), is_corrected=is_corrected)


def _chosen(names: Sequence[Name]) -> Sequence[Name]:
    """Return those of the same words that count: a family hides its own, all hide an absent."""
    wider = [name for name in names if name.kind.is_wider]
    of_wider = {id_ for name in wider for id_ in name.diagnosis_ids}
    others = [name for name in names if not of_wider.issuperset(name.diagnosis_ids)]
    return wider + others or names[:1]
