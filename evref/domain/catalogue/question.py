"""A question to the catalogue.

Every interface asks by a `Question` and renders what `Served.find` or `Served.answers` returns.
"""

from __future__ import annotations

from dataclasses import dataclass

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.record_code import RecordCode

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
