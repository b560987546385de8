"""What the search finds, why, and how it read the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.matching import Match
from evref.domain.catalogue.search.lexicon import Name


class MatchedBy(StrEnum):
    """What of a diagnosis a text matches."""

    NAME = "name"
    TERM = "term"
    UMBRELLA = "umbrella"
    """A word wider than one diagnosis."""


class MatchedIn(StrEnum):
    """The texts of an intervention that have the words of a query."""

    TITLE = "title"
    SUMMARY = "summary"


class ReadAs(StrEnum):
    """What a piece of a text was read as."""

    DIAGNOSIS = "diagnosis"
    WIDER = "wider"
    TREATMENT = "treatment"
    FACET = "facet"
    ABSENT = "absent"
    CORRECTED = "corrected"
    NEGATED = "negated"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a text, as typed, and what they were read as; negated words have no meaning."""

    words: str
    read_as: ReadAs
    meaning: str | None

    @property
    def sentence(self) -> str | None:
        """What the words were read as, in words; None if they say it themselves."""
        meaning = "negated" if self.meaning is None else self.meaning
        if meaning.casefold() == self.words.casefold() or self.read_as is ReadAs.ABSENT:
            return None
        return f"“{self.words}” was read as {meaning}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A diagnosis that a text names, and by which of its names or terms.

    `is_whole` is whether the text is this name and nothing else. A wider word has no `language`.
    """

    diagnosis_id: str
    matched: str
    language: str | None
    by: MatchedBy
    is_whole: bool = False
    spelling_corrected: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A diagnosis that may be meant, and its name or term that is near the text."""

    diagnosis_id: str
    name: str
    term: str


@dataclass(frozen=True, slots=True)
class FoundDiagnoses:
    """The diagnoses that a text names, best first; if it names none, what may be meant.

    `absent` are the words that name conditions outside the catalogue. `read` and `ignored` say how
    the text was read, and which of its words did not count.
    """

    hits: tuple[Hit, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    wider: Name | None = None
    absent: tuple[str, ...] = ()
    read: tuple[Piece, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InterventionHit:
    """An intervention that a query finds, and why.

    `matched` are its words that the query matches, as written. If the query names a diagnosis
    alone, `matched_in` is None, and `matched` has the name of the diagnosis.
    """

    intervention: Intervention
    matched_in: MatchedIn | None = None
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """The interventions that a question asks for, best first.

    `in_title` are the ids of those whose titles have the words. `diagnosis_ids` are the diagnoses
    that the words name, the likelier first, and `is_alone` is whether they ask for nothing else.
    `wider` is the word that is wider than one diagnosis.
    `ignored` are the words that the first of the interventions lacks. `matches` are those of codes.
    """

    interventions: tuple[Intervention, ...] = ()
    in_title: frozenset[str] = frozenset()
    diagnosis_ids: tuple[str, ...] = ()
    is_alone: bool = False
    wider: Name | None = None
    read: tuple[Piece, ...] = ()
    ignored: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()
    explain: Callable[[Intervention], InterventionHit] | None = None

    def hit(self, intervention: Intervention) -> InterventionHit:
        """Return why an intervention was found; slower than the search, so it is for a few."""
        assert self.explain is not None  # noqa: S101 - there are interventions
        return self.explain(intervention)
