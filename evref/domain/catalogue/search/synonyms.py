"""Words for interventions: what is the same, and what is a kind of what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

Words = tuple[str, ...]
"""Words of a phrase, as the search compares them."""


class Likeness(IntEnum):
    """How the words of an entry stand for those of a query; the nearer first."""

    SAME = 0
    """The words themselves."""
    SYNONYM = 1
    WIDER = 2
    """What the words are a kind of: NSAIDs for ibuprofen."""
    KIND = 3
    """A kind of it: ibuprofen for NSAIDs."""


class Synonyms:
    """Phrases that mean the same, and kinds: the medicines of a class."""

    def __init__(
        self, same: Iterable[Iterable[Words]] = (), kinds: Mapping[Words, Iterable[Words]] = {}
    ) -> None:
        self._groups: defaultdict[Words, set[Words]] = defaultdict(set)
        for line in same:
            phrases = set(line)
            for phrase in phrases:
                self._groups[phrase] |= phrases
        self._kinds: defaultdict[Words, set[Words]] = defaultdict(set)
        self._wider: defaultdict[Words, set[Words]] = defaultdict(set)
        for wider, several in kinds.items():
            for kind in several:
                self._kinds[wider].add(kind)
                self._wider[kind].add(wider)
        self.phrases = frozenset({*self._groups, *self._kinds, *self._wider})

    def of(self, phrase: Words) -> dict[Words, Likeness]:
        """Return the phrases that an entry may have for this one, which comes first."""
        found = {phrase: Likeness.SAME}
        for other in self._groups.get(phrase, ()):
            found.setdefault(other, Likeness.SYNONYM)
        same = tuple(found)
        for other in self._beyond(same, self._wider):
            found.setdefault(other, Likeness.WIDER)
        for other in self._beyond(same, self._kinds):
            found.setdefault(other, Likeness.KIND)
        return found

    def _beyond(
        self, phrases: Iterable[Words], links: Mapping[Words, set[Words]]
    ) -> Iterator[Words]:
        """Yield what the links lead to in any number of steps, with its synonyms."""
        waiting, met = list(phrases), set(phrases)
        while waiting:
            phrase = waiting.pop()
            for linked in links.get(phrase, ()):
                for other in (linked, *self._groups.get(linked, ())):
                    if other not in met:
                        met.add(other)
                        waiting.append(other)
                        yield other
