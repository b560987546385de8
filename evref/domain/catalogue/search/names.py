"""The names of diagnoses: what the search of diagnoses compares a text with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.search.folding import Phrase, without, written_words_of
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord

_APOSTROPHES = re.compile("['\u2018\u2019]")
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")


class MatchedBy(StrEnum):
    """What of a diagnosis a query matches."""

    NAME = "name"
    TERM = "term"
    UMBRELLA = "umbrella"
    """A word wider than one diagnosis."""


class Name(NamedTuple):
    """A name of a condition: its text, its words that count, folded, and its words as written.

    `language` is an ISO 639-1 code. Without a diagnosis, it is a `wider` word, or the condition is
    one that the catalogue lacks.
    """

    diagnosis_id: str | None
    text: str
    language: str
    by: MatchedBy
    words: Phrase
    wider: WiderWord | None = None
    written: Phrase = ()

    @property
    def is_absent(self) -> bool:
        """Whether the catalogue lacks the condition."""
        return self.diagnosis_id is None and self.wider is None


def names_of(diagnosis: Diagnosis, lexicon: Lexicon, fold: Callable[[str], str]) -> Iterator[Name]:
    """Return the names of a diagnosis: its name, also without what is in brackets, and terms."""

    def name(text: str, language: str, by: MatchedBy, compared: str) -> Name:
        written = written_words_of(compared)
        words = without(map(fold, written), lexicon.stop_words)
        return Name(diagnosis.id, text, language, by, words, written=tuple(written))

    for compared in dict.fromkeys((diagnosis.name, _IN_BRACKETS.sub("", diagnosis.name))):
        yield name(diagnosis.name, "en", MatchedBy.NAME, compared)
    for language, terms in diagnosis.terms.items():
        for term in terms:
            yield name(term, language, MatchedBy.TERM, term)
            # Some type “crise dasthme” for “crise d'asthme”.
            joined = _APOSTROPHES.sub("", term)
            if joined != term:
                yield name(term, language, MatchedBy.TERM, joined)
