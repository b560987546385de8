"""The search of interventions by the words of their titles and summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
class Texts:
    """The words that count of the interventions of a diagnosis, folded: a line for each.

    Each word has a space before and after it. One text for all of them is searched much faster.
    """

    interventions: tuple[Intervention, ...]
    titles: str
    summaries: str

    @classmethod
    def of(
        cls,
        interventions: tuple[Intervention, ...],
        lexicon: Lexicon,
        fold: Callable[[str], str],
    ) -> Texts:
        titles, summaries = (
            "\n".join(
                f" {' '.join(without(words_of(text, fold), lexicon.stop_words))} " for text in texts
            )
            for texts in (
                [each.title for each in interventions],
                [each.summary for each in interventions],
            )
        )
        return cls(interventions, titles, summaries)


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

    def __init__(self, texts: Iterable[Texts], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._texts = tuple(texts)
        self._known = frozenset(word for each in self._texts for word in each.titles.split())
        self._spelling = Spelling(sorted(self._known), lexicon.opposites)

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
        for tried in dict.fromkeys(
            (words, telling, self._corrected(words), self._corrected(telling))
        ):
            found = self._having(tried) if tried else []
            if found:
                return [
                    hit
                    for hit in found
                    if module in {None, hit.intervention.module}
                    and phase in {None, hit.intervention.phase}
                    and direction in {None, hit.intervention.evidence.direction}
                ]
        return []

    def _having(self, words: _Words) -> list[InterventionHit]:
        """Return those with the words in the title, then those with them in the summary."""
        ranked: dict[str, tuple[int, Intervention]] = {}
        for spelling in dict.fromkeys((words, self._apart(words))):
            for rank, intervention in self._ranked(spelling):
                known = ranked.get(intervention.id)
                if known is None or rank < known[0]:
                    ranked[intervention.id] = rank, intervention
        return [
            InterventionHit(
                intervention, MatchedIn.TITLE if rank < _IN_SUMMARY else MatchedIn.SUMMARY
            )
            for rank, intervention in sorted(ranked.values(), key=lambda item: item[0])
        ]

    def _ranked(self, words: _Words) -> Iterator[tuple[int, Intervention]]:
        *others, last = whole = [f" {word} " for word in words]
        beginning = last.rstrip() if len(words[-1]) >= _SHORTEST_BEGINNING else last
        # Most texts lack the longest word, and are then passed over quickly.
        longest = max((*others, beginning), key=len)
        for texts in self._texts:
            if longest not in texts.titles and longest not in texts.summaries:
                continue
            titles, summaries = texts.titles.split("\n"), texts.summaries.split("\n")
            for title, summary, one in zip(titles, summaries, texts.interventions, strict=True):
                if beginning in title and all(word in title for word in others):
                    if last not in title:
                        yield _BEGINS_IN_TITLE, one
                    else:
                        yield _IS_TITLE if len(title.split()) == len(words) else _IN_TITLE, one
                elif longest in summary and all(word in summary for word in whole):
                    yield _IN_SUMMARY, one

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
