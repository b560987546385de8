"""Slips of spelling: the known words that are nearest to an unknown one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

SHORTEST, _LONG = 5, 8
"""Letters: shorter words are not corrected; long ones may have two slips."""


class Spelling:
    """Known words by their first letter, which is never a slip."""

    def __init__(self, words: Iterable[str], opposites: Sequence[Sequence[str]]) -> None:
        """Take words as written, and prefixes of which none is a slip of another."""
        self._opposites = opposites
        self._words: dict[str, list[str]] = {}
        for word in sorted(words):
            if len(word) >= SHORTEST - 1 and word.isalpha():
                self._words.setdefault(word[0], []).append(word)
        self._letters = {first: array("I", map(_letters, s)) for first, s in self._words.items()}

    def near(self, word: str) -> list[str]:
        """Return the words within one slip, or two of a long word, the nearest first.

        A slip is a missing, additional or wrong letter, two letters exchanged, or all letters in
        another order.
        """
        if len(word) < SHORTEST - 1 or not word.isalpha():
            return []
        most, prefix, letters = 1 + (len(word) >= _LONG), self._prefix(word), _letters(word)
        found = []
        others = self._words.get(word[0], ())
        for theirs, other in zip(self._letters.get(word[0], ()), others, strict=True):
            # A slip changes two letters of the set at most, one if it changes the length.
            longer = abs(len(other) - len(word))
            if (letters ^ theirs).bit_count() <= 2 * most - longer and longer <= most:
                is_anagram = letters == theirs and sorted(word) == sorted(other)
                slips = 1 if is_anagram else distance(word, other, most)
                if slips <= most and len({prefix, self._prefix(other)} - {None}) <= 1:
                    found.append((slips, other))
        return [other for _, other in sorted(found)]

    def _prefix(self, word: str) -> int | None:
        """Return the number of the opposite prefix with which the word begins."""
        for number, spellings in enumerate(self._opposites):
            if word.startswith(tuple(spellings)):
                return number
        return None


def distance(one: str, other: str, most: int) -> int:
    """Return the number of slips between two words; more than `most` stands for any such number.

    It is the distance of Damerau and Levenshtein, restricted.

    >>> distance("migrane", "migraine", 2), distance("refulx", "reflux", 2)
    (1, 1)
    """
    pairs = enumerate(zip(one, other, strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    one, other = one[same:], other[same:]
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
