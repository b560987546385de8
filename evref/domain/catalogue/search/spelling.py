"""Slips of spelling: the words of a vocabulary that are nearest to an unknown word."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from evref.domain.catalogue.search.folding import without_doubled_letters

_LONG = 9
"""From so many letters on, a word may have two slips."""
_WHOLE = 3
"""Folding keeps the doubled letter of a word that would be so short without it."""


class Spelling:
    """A vocabulary of folded words, and the prefixes that a slip never exchanges."""

    SHORTEST = 5
    """Shorter words are not corrected: too many others are near them."""

    def __init__(self, vocabulary: Iterable[str], opposites: Sequence[Sequence[str]]) -> None:
        self._opposites = opposites
        self._words: dict[str, list[str]] = {}
        self._short: dict[str, list[str]] = {}
        for word in vocabulary:
            undoubled = without_doubled_letters(word)
            if len(undoubled) == _WHOLE:
                self._short.setdefault(undoubled, []).append(word)
            if len(word) >= self.SHORTEST - 1 and word.isalpha():
                self._words.setdefault(word[0], []).append(word)
        self._letters = {
            first: array("I", map(_letters, words)) for first, words in self._words.items()
        }

    def nearest(self, word: str, *, shortest: int = SHORTEST) -> tuple[str, ...]:
        """Return the nearest words, within one slip, or two for long words; none if none is near.

        A slip is a missing, additional or wrong letter, or two letters exchanged (the distance of
        Damerau and Levenshtein, restricted). The first letter is never a slip. A word that is
        shorter than `shortest` may have a letter once that should be doubled, or the reverse.
        """
        if not word.isalpha():
            return ()
        if len(word) < shortest:
            return tuple(self._short.get(without_doubled_letters(word), ()))
        most = 2 if len(word) >= _LONG else 1
        letters, prefix = _letters(word), self._prefix(word)
        by_slips: dict[int, list[str]] = {}
        for theirs, other in zip(
            self._letters.get(word[0], ()), self._words.get(word[0], ()), strict=True
        ):
            # Words with many different letters are far apart; counting those is fast.
            if (letters ^ theirs).bit_count() <= 2 * most and abs(len(other) - len(word)) <= most:
                slips = distance(word, other, most)
                if slips <= most and len({prefix, self._prefix(other)} - {None}) <= 1:
                    by_slips.setdefault(slips, []).append(other)
        return tuple(by_slips[min(by_slips)]) if by_slips else ()

    def _prefix(self, word: str) -> int | None:
        """Return the number of the opposite prefix with which the word begins."""
        for number, spellings in enumerate(self._opposites):
            if word.startswith(tuple(spellings)):
                return number
        return None


def distance(one: str, other: str, most: int) -> int:
    """Return the number of slips between two words; more than `most` stands for any such number.

    >>> distance("migrane", "migraine", 2), distance("refulx", "reflux", 2)
    (1, 1)
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        this = [row]
        for column, theirs in enumerate(other, 1):
            cost = min(
                last[column] + 1, this[column - 1] + 1, last[column - 1] + (letter != theirs)
            )
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == theirs:
                cost = min(cost, before[column - 2] + 1)
            this.append(cost)
        if min(this) > most:
            return most + 1
        before, last = last, this
    return last[-1]


def _letters(word: str) -> int:
    """Return the set of letters of the word, as bits."""
    letters = 0
    for letter in word:
        letters |= 1 << (ord(letter) & 31)
    return letters
