"""What a query asks for: its words and phrases, and the interventions that have each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from evref.domain.catalogue.search.folding import Phrase, stem
from evref.domain.catalogue.search.intervention_index import InterventionIndex
from evref.domain.catalogue.search.known_words import KnownWords
from evref.domain.catalogue.search.synonyms import Likeness, Synonyms

_LONGEST_PHRASE = 6
BEYOND_TITLE = len(Likeness)
"""The first of the matches of a concept that are beyond titles."""
NOWHERE = 2 * len(Likeness)

Matches = dict[int, int]
"""Numbers of interventions, and how many words or mentions of each stand for a concept."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query that counts, as it was typed and as the two searches compare it.

    `name_words` are the words by which names are searched: an abbreviation is spelled out. Unless
    it `is_required`, it only affects the order: treatment, effective.
    """

    text: str
    name_words: Phrase
    stem: str
    is_required: bool


class Concept:
    """A word or phrase of a query, and the interventions that have it.

    `phrases` are those that may stand for it, the shortest first. `matches` has the interventions
    that have it in the title, for each likeness, with the number of words that stand for it, and
    then those that have it beyond the title, with how many times they do.
    """

    def __init__(
        self,
        words: Sequence[QueryWord],
        phrases: Mapping[Phrase, Likeness],
        index: InterventionIndex,
        among: frozenset[int] | None,
    ) -> None:
        """Find the concept among the interventions with these numbers, or among all."""
        self.text = " ".join(word.text for word in words)
        self.is_required = any(word.is_required for word in words)
        self.stems = [word.stem for word in words]
        self.phrases = dict(sorted(phrases.items(), key=lambda item: len(item[0])))
        self.first_words = {phrase[0] for phrase in phrases}
        self.rarity = index.rarity(self.stems)
        self.matches = self._matches(index, among)

    def nearest(self, number: int) -> int:
        """Return the nearest match in which the intervention has the concept, or `NOWHERE`."""
        for place, matches in enumerate(self.matches):
            if number in matches:
                return place
        return NOWHERE

    def numbers(self) -> set[int]:
        """Return the numbers of all interventions that have the concept."""
        return set().union(*self.matches)

    def count_as_in_title(self, numbers: Iterable[int]) -> None:
        """Count it as in the title of these, whose diagnosis has it in a name."""
        for number in numbers:
            self.matches[Likeness.SAME].setdefault(number, 0)

    def _matches(self, index: InterventionIndex, among: frozenset[int] | None) -> list[Matches]:
        in_title: list[Matches] = [{} for _ in Likeness]
        beyond: list[Matches] = [{} for _ in Likeness]
        for phrase, likeness in self.phrases.items():
            numbers = index.titles.with_phrase(phrase, among)
            in_title[likeness].update(dict.fromkeys(numbers, len(phrase)))
            # Beyond the title, a synonym is as good as the word.
            nearest = Likeness.SAME if likeness is Likeness.SYNONYM else likeness
            mentions = index.beyond_titles.with_phrase(phrase, among)
            if beyond[nearest]:
                for number, times in mentions.items():
                    beyond[nearest][number] = beyond[nearest].get(number, 0) + times
            else:
                beyond[nearest].update(mentions)
        if len(self.stems) > 1:
            # The words of the query itself need not be adjacent.
            apart = index.titles.with_all(self.stems, among)
            in_title[Likeness.SAME].update(dict.fromkeys(apart, len(self.stems)))
            for number in index.beyond_titles.with_all(self.stems, among):
                beyond[Likeness.SAME].setdefault(number, 1)
        matches = [*in_title, *beyond]
        if len(self.stems) == 1 and not any(matches):
            shortened = index.with_initials(self.text)
            if among is not None:
                shortened &= among
            matches[Likeness.SYNONYM].update(dict.fromkeys(shortened, len(self.text)))
        return matches


class Concepts:
    """Reads words as concepts: the longest phrases of the lexicon, and the words between them."""

    def __init__(
        self, index: InterventionIndex, known_words: KnownWords, synonyms: Synonyms
    ) -> None:
        self._index, self._known_words, self._synonyms = index, known_words, synonyms

    def of(
        self, words: Sequence[QueryWord], covered: Collection[int], among: frozenset[int] | None
    ) -> list[Concept]:
        """Return the concepts of the words, except of those whose positions are covered.

        They are looked for among the interventions with these numbers, or among all.
        """
        concepts = []
        for is_covered, positions in groupby(range(len(words)), covered.__contains__):
            rest = [] if is_covered else [words[position] for position in positions]
            while rest:
                concept = self._first(rest, among)
                concepts.append(concept)
                rest = rest[len(concept.stems) :]
        return concepts

    def _first(self, words: Sequence[QueryWord], among: frozenset[int] | None) -> Concept:
        """Return the longest phrase with which the words begin and that is found, or a word."""
        stems = tuple(word.stem for word in words)
        for length in range(min(len(words), _LONGEST_PHRASE), 1, -1):
            if stems[:length] in self._synonyms.phrases:
                concept = self._concept(words[:length], among)
                if any(concept.matches):
                    return concept
        return self._concept(words[:1], among)

    def _concept(self, phrase: Sequence[QueryWord], among: frozenset[int] | None) -> Concept:
        return Concept(phrase, self._alternatives(phrase), self._index, among)

    def _alternatives(self, phrase: Sequence[QueryWord]) -> dict[Phrase, Likeness]:
        """Return the phrases of interventions that may stand for this one."""
        alternatives = self._synonyms.of(tuple(word.stem for word in phrase))
        if len(phrase) == 1:
            (word,) = phrase
            alternatives |= {
                (completed,): Likeness.SAME for completed in self._known_words.completed(word.stem)
            }
            if len(word.name_words) > 1:
                alternatives[tuple(map(stem, word.name_words))] = Likeness.SYNONYM
        return alternatives
