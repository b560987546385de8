"""The search of interventions by the words of their titles and summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.search.folding import without, words_of
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.spelling import Spelling


class MatchedIn(StrEnum):
    """Where the words of a query are."""

    TITLE = "title"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Text:
    """The words that count of an intervention's title and summary, with a space around each."""

    intervention: Intervention
    title: str
    summary: str

    @classmethod
    def of(cls, intervention: Intervention, lexicon: Lexicon, fold: Callable[[str], str]) -> Text:
        title, summary = (
            f" {' '.join(without(words_of(text, fold), lexicon.stop_words))} "
            for text in (intervention.title, intervention.summary)
        )
        return cls(intervention, title, summary)


@dataclass(frozen=True, slots=True)
class InterventionHit:
    """An intervention that a query finds, and where its words are."""

    intervention: Intervention
    matched_in: MatchedIn


_SHORTEST_BEGINNING = 4
_SHORTEST_PART = 4
_Words = tuple[str, ...]


class InterventionIndex:
    """The texts of all visible interventions, in the order in which equal matches are found."""

    def __init__(self, texts: Iterable[Text], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._texts = tuple(texts)
        self._known = frozenset(word for text in self._texts for word in text.title.split())
        self._spelling = Spelling(self._known, lexicon.opposites)

    def find(
        self,
        text: str,
        module: Module | None = None,
        phase: Phase | None = None,
        direction: Direction | None = None,
    ) -> list[InterventionHit]:
        """Return the interventions that the text finds, best first.

        Words such as therapy count only as long as something has them all. Only where nothing is
        found, unknown words are corrected.
        """
        words = without(words_of(text), self._lexicon.stop_words)
        telling = tuple(word for word in words if word not in self._lexicon.care_words)
        for tried in (words, telling, self._corrected(words), self._corrected(telling)):
            found = self._with(tried) if tried else []
            if found:
                return [
                    hit
                    for hit in found
                    if module in {None, hit.intervention.module}
                    and phase in {None, hit.intervention.phase}
                    and direction in {None, hit.intervention.evidence.direction}
                ]
        return []

    def _with(self, words: _Words) -> list[InterventionHit]:
        """Return those with the words in the title, then those with them in the summary."""
        ranks: dict[int, int] = {}
        for spelling in dict.fromkeys((words, self._apart(words))):
            for place, rank in self._ranked(spelling):
                ranks[place] = min(rank, ranks.get(place, rank))
        return [
            InterventionHit(
                self._texts[place].intervention,
                MatchedIn.TITLE if rank < _IN_SUMMARY else MatchedIn.SUMMARY,
            )
            for place, rank in sorted(ranks.items(), key=lambda item: (item[1], item[0]))
        ]

    def _ranked(self, words: _Words) -> Iterable[tuple[int, int]]:
        whole = [f" {word} " for word in words]
        *others, last = whole
        beginning = last.rstrip() if len(words[-1]) >= _SHORTEST_BEGINNING else last
        # Most texts lack the longest word, and are then passed over quickly.
        longest = max((*others, beginning), key=len)
        for place, text in enumerate(self._texts):
            title = text.title
            if longest not in title and longest not in text.summary:
                continue
            if all(word in title for word in whole):
                yield place, _IS_TITLE if len(title.split()) == len(words) else _IN_TITLE
            elif beginning in title and all(word in title for word in others):
                yield place, _BEGINS_IN_TITLE
            elif all(word in text.summary for word in whole):
                yield place, _IN_SUMMARY

    def _apart(self, words: _Words) -> _Words:
        """Return the words, each that joins two known ones as these: shockwave as shock wave."""
        apart: list[str] = []
        for word in words:
            cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
            parts = ((word[:cut], word[cut:]) for cut in cuts)
            apart += next((both for both in parts if self._known.issuperset(both)), (word,))
        return tuple(apart)

    def _corrected(self, words: _Words) -> _Words:
        return tuple(
            word if word in self._known else next(iter(self._spelling.nearest(word)), word)
            for word in words
        )


_IS_TITLE, _IN_TITLE, _BEGINS_IN_TITLE, _IN_SUMMARY = range(4)
