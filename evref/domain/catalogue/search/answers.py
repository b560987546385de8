"""What the search of interventions returns: interventions, and why each was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.matching import Match
from evref.domain.catalogue.search.synonyms import Likeness


class MatchedIn(StrEnum):
    """The texts of an intervention that contain the words of a query."""

    TITLE = "title"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of a query, and the words of an intervention that stand for them, as written."""

    words: str
    matched: tuple[str, ...]
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class InterventionHit:
    """An intervention that a query finds, and how each part of the query was read.

    If the query names a diagnosis alone, `matched_in` is None, and the reading has that name.
    """

    intervention: Intervention
    matched_in: MatchedIn | None
    readings: tuple[Reading, ...]

    @property
    def matched(self) -> tuple[str, ...]:
        """The words of its title, or of its summary and cautions, that the query matches."""
        return tuple(dict.fromkeys(chain(*(reading.matched for reading in self.readings))))


@dataclass(frozen=True, slots=True)
class Answers:
    """The interventions that a query finds, best first.

    `in_title` are the ids of those whose titles match. `ignored` are the words of the query that
    none of them has. `diagnosis_ids` are the diagnoses that it names, the likelier first, and
    `diagnosis_words` the words that name them; `is_alone` is whether it names nothing else.
    `matches` are those of codes, if codes were asked for.
    """

    interventions: tuple[Intervention, ...] = ()
    in_title: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()
    diagnosis_ids: tuple[str, ...] = ()
    diagnosis_words: tuple[str, ...] = ()
    is_alone: bool = False
    matches: tuple[Match, ...] = ()
    explain: Callable[[Intervention], InterventionHit] | None = None

    def hit(self, intervention: Intervention) -> InterventionHit:
        """Return why an intervention was found; slower than the search, so it is for a few."""
        assert self.explain is not None  # noqa: S101 - there are interventions
        return self.explain(intervention)
