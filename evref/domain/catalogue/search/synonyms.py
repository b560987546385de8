"""Words for interventions: what is the same, and what is a kind of what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

from evref.domain.catalogue.search.folding import Phrase


class Likeness(IntEnum):
    """How the words of an entry stand for those of a query; the nearer first."""

    SAME = 0
    """The words themselves."""
    SYNONYM = 1
    WIDER = 2
    """What the words are a kind of: direct oral anticoagulants for apixaban."""
    STILL_WIDER = 3
    """What that is a kind of: anticoagulants for apixaban."""
    KIND = 4
    """A kind of it: ibuprofen for NSAIDs."""


class Synonyms:
    """Phrases that mean the same, and kinds: the medicines of a class."""

    def __init__(
        self, same: Iterable[Iterable[Phrase]] = (), kinds: Mapping[Phrase, Iterable[Phrase]] = {}
    ) -> None:
        # Lists, not sets: the order in which they are tried must not differ between processes.
        self._synonyms: defaultdict[Phrase, list[Phrase]] = defaultdict(list)
        for line in same:
            phrases = list(dict.fromkeys(line))
            for phrase in phrases:
                self._synonyms[phrase] += phrases
        self._kinds: defaultdict[Phrase, list[Phrase]] = defaultdict(list)
        self._wider: defaultdict[Phrase, list[Phrase]] = defaultdict(list)
        for wider, several in kinds.items():
            for kind in several:
                self._kinds[wider].append(kind)
                self._wider[kind].append(wider)
        self.phrases = frozenset({*self._synonyms, *self._kinds, *self._wider})

    def of(self, phrase: Phrase) -> dict[Phrase, Likeness]:
        """Return the phrases that an entry may have for this one, which comes first."""
        alternatives = {phrase: Likeness.SAME}
        for synonym in self._synonyms.get(phrase, ()):
            alternatives.setdefault(synonym, Likeness.SYNONYM)
        same = tuple(alternatives)
        classes = tuple(self._linked(same, self._wider))
        for wider in classes:
            alternatives.setdefault(wider, Likeness.WIDER)
        for wider in self._reached(classes, self._wider):
            alternatives.setdefault(wider, Likeness.STILL_WIDER)
        for kind in self._reached(same, self._kinds):
            alternatives.setdefault(kind, Likeness.KIND)
        return alternatives

    def _reached(
        self, phrases: Iterable[Phrase], links: Mapping[Phrase, Iterable[Phrase]]
    ) -> Iterator[Phrase]:
        """Yield the phrases that the links reach in any number of steps, and their synonyms."""
        waiting, seen = list(phrases), set(phrases)
        while waiting:
            for reached in self._linked([waiting.pop()], links):
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
                    yield reached

    def _linked(
        self, phrases: Iterable[Phrase], links: Mapping[Phrase, Iterable[Phrase]]
    ) -> Iterator[Phrase]:
        """Yield the phrases that the links reach in one step, and their synonyms."""
        for phrase in phrases:
            for linked in links.get(phrase, ()):
                yield linked
                yield from self._synonyms.get(linked, ())
