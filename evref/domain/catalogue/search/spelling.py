"""Slips of spelling: the known words that are one slip from an unknown one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from string import ascii_lowercase

SHORTEST = 5
"""Letters: shorter words are not corrected."""


class Spelling:
    """Known words, as written; their first letter is never a slip."""

    def __init__(self, words: Iterable[str]) -> None:
        self._anagrams: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(words):
            if len(word) >= SHORTEST - 1 and word.isalpha():
                self._anagrams["".join(sorted(word))].append(word)
        self._words = frozenset().union(*self._anagrams.values())

    def near(self, word: str) -> list[str]:
        """Return the words within one slip.

        A slip is a missing, additional or wrong letter, or letters in another order.

        >>> Spelling(["reflux", "migraine", "asthma"]).near("migrane")
        ['migraine']
        >>> Spelling(["reflux", "migraine", "asthma"]).near("athsma")
        ['asthma']
        """
        parts = [(word[:place], word[place:]) for place in range(1, len(word) + 1)]
        typed = {before + after[1:] for before, after in parts}
        for letter in ascii_lowercase:
            typed.update(before + letter + after for before, after in parts)
            typed.update(before + letter + after[1:] for before, after in parts)
        others = [
            other for other in self._anagrams.get("".join(sorted(word)), ()) if other[0] == word[0]
        ]
        return others + sorted(typed & self._words)
