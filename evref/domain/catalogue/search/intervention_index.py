"""The index of interventions: which have a word in the title, and which in their other texts."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Recommendation
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import Forms, Phrase, fold, stem, written_words_of
from evref.domain.catalogue.search.lexicon import Lexicon

_SHORTEST_INITIALS = 3
_SCANS_PER_LOOKUP = 20
"""How many times as fast going through numbers is as looking one up."""


def text_beyond_title(intervention: Intervention) -> str:
    """Return the summary and the cautions."""
    if intervention.cautions is None:
        return intervention.summary
    return f"{intervention.summary}\n{intervention.cautions}"


class Traits(NamedTuple):
    """What else the order of interventions depends on, beside the words of the query."""

    first_word: str
    """The first word of the title that counts, stemmed; empty if there is none."""
    title_length: int
    """The number of words of the title, without those that say little, such as therapy."""
    is_ungraded: bool
    """Whether the sources state no recommendation."""
    is_no_mainstay: bool


class WordIndex:
    """For each word and phrase, the numbers of the interventions that have it in one field.

    Numbers are in ascending order, each as many times as the intervention has the phrase.
    """

    def __init__(self) -> None:
        self.numbers_of: defaultdict[Phrase, array[int]] = defaultdict(partial(array, "I"))

    def with_phrase(self, phrase: Phrase, among: frozenset[int] | None) -> Mapping[int, int]:
        """Return which of these interventions have the phrase, and how many times.

        If `among` is None, return all that have it; each of these is counted once.
        """
        numbers = self.numbers_of.get(phrase, ())
        if among is None:
            return dict.fromkeys(numbers, 1)
        if len(numbers) < _SCANS_PER_LOOKUP * len(among):
            return Counter(filter(among.__contains__, numbers))
        return {number: times for number in among if (times := _times(numbers, number))}

    def with_all(self, words: Iterable[str], among: frozenset[int] | None) -> Collection[int]:
        """Return the numbers of the interventions, of these or of all, that have all the words."""
        rarest, *others = sorted((self.numbers_of.get((word,), ()) for word in words), key=len)
        found = frozenset(rarest) if among is None else _of(among, rarest)
        for numbers in others:
            found = _of(found, numbers)
        return found


def _of(numbers: frozenset[int], ascending: Sequence[int]) -> frozenset[int]:
    """Return which of the numbers are among those in ascending order."""
    if len(ascending) < _SCANS_PER_LOOKUP * len(numbers):
        return numbers.intersection(ascending)
    return frozenset(number for number in numbers if _times(ascending, number))


def _times(ascending: Sequence[int], number: int) -> int:
    return bisect_right(ascending, number) - bisect_left(ascending, number)


class InterventionIndex:
    """The words of all visible interventions.

    They are numbered in the order in which equal matches are found: those with a graded
    recommendation first, then by the name of the diagnosis and in listing order. Words are
    stemmed, and stop words do not count.
    """

    def __init__(self, entries: Iterable[Entry], lexicon: Lexicon) -> None:
        # A method would refer back to the index and so keep it after its catalogue was replaced.
        self._forms = Forms(partial(_form, lexicon.stop_words))
        self._phrases_by_first_word = _by_first_word(lexicon.synonyms.phrases)
        self.entries = {entry.diagnosis.id: entry for entry in entries}
        self.interventions = sorted(
            (
                intervention
                for entry in self.entries.values()
                for intervention in entry.visible_interventions()
            ),
            key=_is_ungraded,
        )
        self.numbers_by_diagnosis: defaultdict[str, list[int]] = defaultdict(list)
        self.titles, self.beyond_titles = WordIndex(), WordIndex()
        self.titles_written: list[Phrase] = []
        """The words of each title, as written."""
        self.traits: list[Traits] = []
        care_words = frozenset(map(stem, lexicon.care_words))
        mainstays = {id_ for entry in self.entries.values() for id_ in entry.diagnosis.mainstays}
        for number, intervention in enumerate(self.interventions):
            self.numbers_by_diagnosis[intervention.diagnosis_id].append(number)
            title = written_words_of(intervention.title)
            self.titles_written.append(tuple(title))
            words = self._add(self.titles, number, title)
            self._add(self.beyond_titles, number, written_words_of(text_beyond_title(intervention)))
            self.traits.append(
                Traits(
                    first_word=words[0] if words else "",
                    title_length=sum(word not in care_words for word in words),
                    is_ungraded=_is_ungraded(intervention),
                    is_no_mainstay=intervention.id not in mainstays,
                )
            )
        self.correct_words = frozenset(map(fold, self._forms)) | lexicon.correct_words
        """The words of all texts and of the lexicon, folded: none of them is a slip."""
        in_phrases = {word for phrase in lexicon.synonyms.phrases for word in phrase}
        self.known_stems = in_phrases.union(*self.titles.numbers_of, *self.beyond_titles.numbers_of)
        """The stems of all words of the texts and of the synonyms."""
        self._initials = "\n".join(
            "".join([word[0] for word in title]) for title in self.titles_written
        )

    def stems(self, text: str) -> list[str]:
        """Return the stems of the words of the text that count, in order."""
        return self._stems(written_words_of(text))

    def rarity(self, words: Iterable[str]) -> int:
        """Return how rare the rarest word is, as a power of two: how often it halves all texts."""
        titles, beyond = self.titles.numbers_of, self.beyond_titles.numbers_of
        fewest = min(len(titles.get((word,), ())) + len(beyond.get((word,), ())) for word in words)
        return 1 + max(0, len(self.interventions) // (fewest + 1)).bit_length()

    def with_initials(self, word: str) -> set[int]:
        """Return the numbers of those with adjacent words in their titles that the word shortens.

        >>> InterventionIndex([], Lexicon()).with_initials("pfo")
        set()
        """
        numbers: set[int] = set()
        if len(word) >= _SHORTEST_INITIALS:
            number, before, position = 0, 0, self._initials.find(word)
            while position >= 0:
                number += self._initials.count("\n", before, position)
                numbers.add(number)
                before, position = position, self._initials.find(word, position + 1)
        return numbers

    def _stems(self, written: Iterable[str]) -> list[str]:
        return list(filter(None, map(self._forms.__getitem__, written)))

    def _add(self, index: WordIndex, number: int, written: Iterable[str]) -> list[str]:
        """Add the words of a text, and the phrases of the lexicon in it; return its words."""
        words = self._stems(written)
        numbers_of, phrases_by_first_word = index.numbers_of, self._phrases_by_first_word
        for word in words:
            numbers_of[word,].append(number)
        for position, word in enumerate(words):
            for phrase in phrases_by_first_word.get(word, ()):
                if _begin_with(words[position : position + len(phrase) + 1], phrase):
                    numbers_of[phrase].append(number)
        return list(dict.fromkeys(words))


def _form(stop_words: Collection[str], word: str) -> str:
    """Return the form in which a word is compared; empty if it does not count."""
    folded = fold(word)
    return "" if folded in stop_words else stem(folded)


def _is_ungraded(intervention: Intervention) -> bool:
    return intervention.evidence.recommendation is Recommendation.NOT_STATED


def _by_first_word(phrases: Iterable[Phrase]) -> dict[str, list[Phrase]]:
    """Return the phrases of several words by their first word."""
    by_first_word: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        if len(phrase) > 1:
            by_first_word.setdefault(phrase[0], []).append(phrase)
    return by_first_word


def _begin_with(words: Sequence[str], phrase: Phrase) -> bool:
    """Return whether the words begin with the phrase, which may have a word between its words.

    >>> _begin_with(["speech", "language", "therapy"], ("speech", "therapy"))
    True
    """
    if tuple(words[:-1]) == phrase or tuple(words) == phrase:
        return True
    rest = iter(words)
    return words[-1] == phrase[-1] and all(word in rest for word in phrase)
