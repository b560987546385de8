"""The served data, and the questions to it.

Every interface asks by a `Question` and renders what `Served.find` or `Served.answers` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.matching import Match, best_fits
from evref.domain.catalogue.publication import Comparison, Publication
from evref.domain.catalogue.record_code import Classification, RecordCode
from evref.domain.catalogue.search.found import Answers, Found
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.snomed import NO_MAP, SnomedMap
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.domain.errors import (
    RemovedDiagnosisError,
    RemovedInterventionError,
    UnknownInterventionError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the catalogue: codes, words, ids and filters, all of which must match.

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
        evidence = intervention.evidence
        return (
            self.module in {None, intervention.module}
            and self.phase in {None, intervention.phase}
            and self.direction in {None, evidence.direction}
            and (not self.groups or evidence.group in self.groups)
        )


@dataclass(frozen=True, eq=False)
class Served:
    """A published catalogue, its search, and the publications up to its own, newest first.

    `id` differs for each publication, also for those of the same catalogue, and for each map of
    SNOMED CT. `snomed` is None if the operator has loaded none.
    """

    catalogue: Catalogue
    search: Search
    publications: tuple[Publication, ...]
    id: str
    snomed: SnomedMap | None = None

    def find(self, question: Question) -> Found:
        """Return the entries that meet the question; phase, direction and group do not filter them.

        Raises what `entry` raises, for a diagnosis in the question.
        """
        entries, matches = self._in_scope(question)
        by_id = {
            entry.diagnosis.id: entry
            for entry in entries
            if question.module in {None, *entry.diagnosis.enabled_modules}
        }
        found = Found(tuple(by_id.values()))
        if question.words is not None:
            found = self._named(question.words, by_id, is_of_record=question.is_of_record)
        ids = {entry.diagnosis.id for entry in found.entries}
        return replace(
            found,
            matches=tuple(match.among(ids) for match in matches),
            remarks=tuple(_remarks(matches, self.catalogue)),
        )

    def _named(self, words: str, by_id: Mapping[str, Entry], *, is_of_record: bool) -> Found:
        """Return those of the entries that the words name, and how they were read."""
        search = self.search.diagnoses_of_record if is_of_record else self.search.diagnoses
        found = search(words)
        hits = tuple(hit for hit in found.hits if hit.diagnosis_id in by_id)
        return replace(found, hits=hits, entries=tuple(by_id[hit.diagnosis_id] for hit in hits))

    def answers(self, question: Question) -> Answers:
        """Return the interventions that meet the question, the best match first.

        Without words, they are ordered by diagnosis, each in the order of its card. Raises what
        `entry` raises, for a diagnosis in the question.
        """
        entries, matches = self._in_scope(question)
        ids = [entry.diagnosis.id for entry in entries]
        if question.words is None:
            answers = Answers(
                tuple(intervention for entry in entries for intervention in entry.in_card_order()),
                diagnosis_ids=tuple(ids),
            )
        else:
            is_limited = bool(question.codes or question.diagnosis_ids)
            answers = self.search.interventions(question.words, ids if is_limited else None)
        interventions = tuple(
            intervention
            for intervention in answers.interventions
            if intervention.diagnosis_id in ids and question.admits(intervention)
        )
        return replace(
            answers,
            interventions=interventions,
            matches=tuple(match.among(ids) for match in matches),
        )

    def _in_scope(self, question: Question) -> tuple[tuple[Entry, ...], tuple[Match, ...]]:
        """Return the entries for the codes and the ids of a question, and how the codes fit."""
        for diagnosis_id in question.diagnosis_ids:
            self.entry(diagnosis_id)
        matches = self.catalogue.matches(self.resolve(question.codes))
        ids = best_fits(matches)
        entries = tuple(
            entry
            for entry in self.catalogue.entries
            if (not question.codes or entry.diagnosis.id in ids)
            and (not question.diagnosis_ids or entry.diagnosis.id in question.diagnosis_ids)
        )
        return entries, matches

    def resolve(self, codes: Iterable[RecordCode]) -> tuple[RecordCode, ...]:
        """Return the codes, those of SNOMED CT with their targets in ICD-10."""
        resolved = []
        for code in codes:
            if code.classification is not Classification.SNOMED_CT:
                resolved.append(code)
            elif self.snomed is None:
                resolved.append(replace(code, read_as=None, error=NO_MAP))
            else:
                resolved.append(self.snomed.resolve(code))
        return tuple(resolved)

    def entry(self, diagnosis_id: str) -> Entry:
        """Return the entry of this diagnosis.

        If an earlier one of the stored publications had it, raise `RemovedDiagnosisError`, else
        `UnknownDiagnosisError`.
        """
        if diagnosis_id in self.removed:
            raise RemovedDiagnosisError(diagnosis_id, self.removed[diagnosis_id])
        return self.catalogue.entry(diagnosis_id)

    def intervention(self, intervention_id: str) -> tuple[Entry, Intervention]:
        """Return a visible intervention, after the entry that has it.

        If it was removed, by itself or with its diagnosis, raise `RemovedInterventionError`; if its
        module is not enabled, `UnknownInterventionError`.
        """
        if intervention_id in self.removed_interventions:
            day = self.removed_interventions[intervention_id]
            raise RemovedInterventionError(intervention_id, day)
        entry = self.catalogue.by_intervention.get(intervention_id)
        if entry is not None:
            for intervention in entry.visible_interventions():
                if intervention.id == intervention_id:
                    return entry, intervention
        raise UnknownInterventionError(intervention_id)

    @cached_property
    def removed(self) -> dict[str, date]:
        """The UTC day of the removal of each removed diagnosis, by its id."""
        present = {entry.diagnosis.id for entry in self.catalogue.entries}
        return self._removals(lambda comparison: comparison.removed, present)

    @cached_property
    def removed_interventions(self) -> dict[str, date]:
        """The UTC day of the removal of each removed intervention, by its id.

        One that is hidden because its module is not enabled was not removed.
        """
        return self._removals(
            lambda comparison: (*comparison.removed_from_others, *comparison.removed_with_them),
            self.catalogue.by_intervention,
        )

    def _removals(
        self, removed_in: Callable[[Comparison], Iterable[str]], present: Container[str]
    ) -> dict[str, date]:
        return {
            name: publication.published_at.date()
            for publication in reversed(self.publications)
            if publication.comparison is not None
            for name in removed_in(publication.comparison)
            if name not in present
        }

    def licence(self, of_others: str | None) -> str | None:
        """Return the address of the licence: CC BY 4.0 if it was published as the bundled
        catalogue, else that of the operator's own, `of_others`.
        """
        is_bundled = any(
            publication.is_bundled
            for publication in self.publications
            if publication.version == self.catalogue.version
        )
        return BUNDLED_LICENCE if is_bundled else of_others

    def changed_at(self, diagnosis_id: str) -> datetime | None:
        """Return the time of the publication that last changed the version of a diagnosis.

        If none of the stored publications did, return the time of the oldest; None if none is
        stored.
        """
        if not self.publications:
            return None
        oldest = self.publications[-1].published_at
        return self._changed_at.get(diagnosis_id, oldest)

    @cached_property
    def _changed_at(self) -> dict[str, datetime]:
        return {
            diagnosis_id: publication.published_at
            for publication in reversed(self.publications)
            if (comparison := publication.comparison) is not None
            for diagnosis_id in (
                *comparison.added,
                *(change.diagnosis_id for change in comparison.changed),
            )
        }


def _remarks(matches: Iterable[Match], catalogue: Catalogue) -> Iterator[str]:
    """Yield sentences on codes that were not read or searched, that mean another condition, or that
    are wider than codes of the catalogue.
    """

    def name_of(diagnosis_id: str) -> str:
        return catalogue.entry(diagnosis_id).diagnosis.name_within_sentence

    for match in matches:
        code = match.code
        if code.read_as is None and code.given:
            yield f"“{code.given}” was not read: it {code.error}"
        elif code.read_as is not None and code.error is not None:
            yield f"{code.given}: {code.error}"
        if match.excluded_from:
            excluded = " or ".join(map(name_of, match.excluded_from))
            yield f"{code.read_as}: this code means another condition than {excluded}"
        if match.narrower:
            *names, last = (
                f"{name_of(narrower.diagnosis_id)} ({', '.join(narrower.codes)})"
                for narrower in match.narrower
            )
            listed = f"{', '.join(names)} and {last}" if names else last
            yield f"{code.shown} is wider; it includes {listed}"
