"""Why an intervention was found: the words of its texts that stand for those of the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.answers import Reading
from evref.domain.catalogue.search.concepts import Concept
from evref.domain.catalogue.search.folding import Phrase
from evref.domain.catalogue.search.intervention_index import text_beyond_title
from evref.domain.catalogue.search.synonyms import Likeness

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

Stemmer = Callable[[str], list[str]]
"""Returns the stems of the words of a text that count."""


def readings(
    intervention: Intervention, concepts: Iterable[Concept], stemmer: Stemmer
) -> tuple[Reading, ...]:
    """Return how the intervention has each of its concepts: in its title, else in other texts."""
    title = _WrittenText(intervention.title, stemmer)
    beyond_title = _WrittenText(text_beyond_title(intervention), stemmer)
    by_concept = (title.reading(concept) or beyond_title.reading(concept) for concept in concepts)
    return tuple(reading for reading in by_concept if reading is not None)


class _WrittenText:
    """A text as written, and the stems of its words with their places in it."""

    def __init__(self, text: str, stemmer: Stemmer) -> None:
        self._text = text
        self._stems: list[str] = []
        self._places: list[tuple[int, int]] = []
        for word in _WORD.finditer(text):
            for stem in stemmer(word[0]):
                self._stems.append(stem)
                self._places.append(word.span())

    def reading(self, concept: Concept) -> Reading | None:
        """Return the nearest phrase for the concept that the text has, else all its words."""
        in_order = sorted(concept.phrases.items(), key=lambda phrase: (phrase[1], -len(phrase[0])))
        for phrase, likeness in in_order:
            written = self._written(phrase)
            if written is not None:
                return Reading(concept.text, (written,), likeness)
        if all(stem in self._stems for stem in concept.stems):
            places = (self._places[self._stems.index(stem)] for stem in concept.stems)
            words = tuple(self._text[start:end] for start, end in places)
            return Reading(concept.text, words, Likeness.SAME)
        return None

    def _written(self, phrase: Phrase) -> str | None:
        """Return the words of the phrase as written, or None if the text does not contain it."""
        for position in range(len(self._stems) - len(phrase) + 1):
            if tuple(self._stems[position : position + len(phrase)]) == phrase:
                start, _ = self._places[position]
                _, end = self._places[position + len(phrase) - 1]
                return self._text[start:end]
        return None
