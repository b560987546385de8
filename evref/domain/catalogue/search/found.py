"""What the search finds, why, and how it read the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Annotated

from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.matching import Doubt, Match, best_fits
from evref.domain.catalogue.record_code import RecordCode
from evref.domain.catalogue.search.lexicon import Name
from evref.domain.catalogue.vocabulary import MEANINGS
from evref.domain.declaration import Example, Line, Named

LONGEST_TEXT = 200
"""The most characters of the words of a question."""


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
    """Words of q, and what they were read as."""

    words: Annotated[str, "The words, as requested.", Line(1, LONGEST_TEXT), Example("Kortison")]
    read_as: Annotated[
        ReadAs,
        "What they were read as. `wider` is wider than one diagnosis, a `facet` only changes the "
        "order of the answers, and `absent` is a condition outside the catalogue.",
        Named("as"),
    ]
    meaning: Annotated[
        str | None,
        "What they mean in the catalogue's words; null if they are negated.",
        Example("corticosteroid"),
    ]

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
    name: str
    matched: str
    language: str | None
    by: MatchedBy
    is_whole: bool = False
    spelling_corrected: bool = False


@dataclass(frozen=True)
class Found:
    """The entries that a question finds, and why.

    With words, the best match is first; otherwise entries are ordered by name, then id. `matches`
    are those of the codes, limited to the entries, and `hits` those of the words, in the order of
    the entries. `umbrella` is the word that is wider than one diagnosis. If the words name no
    diagnosis, `suggestions` are those that may be meant. `absent` are the words that name a
    condition outside the catalogue. `read` says what the words were read as, and `ignored` which of
    them did not count. `remarks` are sentences about codes that were not read, that mean another
    condition, or that are wider than those of the catalogue.
    """

    entries: tuple[Entry, ...] = ()
    matches: tuple[Match, ...] = ()
    hits: tuple[Hit, ...] = ()
    umbrella: Name | None = None
    suggestions: tuple[Hit, ...] = ()
    absent: tuple[str, ...] = ()
    read: tuple[Piece, ...] = ()
    ignored: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @cached_property
    def fits(self) -> dict[str, Doubt | None]:
        """How the codes fit each diagnosis that they find, by id; None is certainly."""
        return best_fits(self.matches)

    @property
    def doubts(self) -> dict[str, str]:
        """Why a diagnosis is found only approximately, in words, by id."""
        return {name: MEANINGS[doubt] for name, doubt in self.fits.items() if doubt is not None}

    @property
    def codes(self) -> tuple[RecordCode, ...]:
        """The codes that were read."""
        return tuple(match.code for match in self.matches if match.code.read_as is not None)

    @property
    def missing(self) -> tuple[RecordCode, ...]:
        """The codes that find no diagnosis, and do not mean another condition."""
        return tuple(
            match.code
            for match in self.matches
            if match.code.stems and not match.fits and not match.excluded_from
        )

    @classmethod
    def joined(cls, several: Iterable[Found]) -> Found:
        """Return what any of several questions finds, in their order."""
        every = tuple(several)
        by_id = {entry.diagnosis.id: entry for found in every for entry in found.entries}
        return cls(
            tuple(by_id.values()),
            tuple(chain.from_iterable(found.matches for found in every)),
            tuple(chain.from_iterable(found.hits for found in every)),
            suggestions=tuple(chain.from_iterable(found.suggestions for found in every)),
            remarks=tuple(chain.from_iterable(found.remarks for found in every)),
        )


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
    `umbrella` is the word that is wider than one diagnosis.
    `ignored` are the words that the first of the interventions lacks. `matches` are those of codes.
    """

    interventions: tuple[Intervention, ...] = ()
    in_title: frozenset[str] = frozenset()
    diagnosis_ids: tuple[str, ...] = ()
    is_alone: bool = False
    umbrella: Name | None = None
    read: tuple[Piece, ...] = ()
    ignored: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()
    hit: Callable[[Intervention], InterventionHit] = InterventionHit
    """Returns why an intervention was found; slower than the search, so it is for a few."""
