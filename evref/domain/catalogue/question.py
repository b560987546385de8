"""A question to the catalogue, and what it finds.

Every interface asks by a `Question` and renders what `Served.find` or `Served.answers` returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.matching import Doubt, Match, best_fits
from evref.domain.catalogue.record_code import RecordCode
from evref.domain.catalogue.search.found import Hit, Piece, Suggestion
from evref.domain.catalogue.search.lexicon import Name
from evref.domain.catalogue.vocabulary import MEANINGS

LONGEST_TEXT = 200
"""The most characters of the words of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: codes, words, ids and filters, all of which must match.

    Any of the codes may match, and any of the ids of diagnoses. Empty or None means not asked.
    `is_of_record` says that the words are a name in a patient's record, which are read more
    strictly.
    """

    codes: tuple[RecordCode, ...] = ()
    words: str | None = None
    is_of_record: bool = False
    diagnosis_ids: tuple[str, ...] = ()
    module: Module | None = None
    phase: Phase | None = None
    direction: Direction | None = None
    groups: tuple[CardGroup, ...] = ()

    def admits(self, intervention: Intervention) -> bool:
        """Return whether the intervention meets the filters."""
        evidence = intervention.evidence
        return (
            self.module in {None, intervention.module}
            and self.phase in {None, intervention.phase}
            and self.direction in {None, evidence.direction}
            and (not self.groups or evidence.group in self.groups)
        )


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

    entries: tuple[Entry, ...]
    matches: tuple[Match, ...] = ()
    hits: tuple[Hit, ...] = ()
    umbrella: Name | None = None
    suggestions: tuple[Suggestion, ...] = ()
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
