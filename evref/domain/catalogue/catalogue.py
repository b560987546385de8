"""The catalogue as a whole: immutable, versioned by its content, and searchable."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property

from evref.domain.catalogue import content
from evref.domain.catalogue.comparison import Comparison, change_between, most_urgent_first
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.intervention import Intervention, Phase, listing_order
from evref.domain.catalogue.matching import Fit, Match, finds, prefixes, verdict
from evref.domain.catalogue.publication import Publication, is_bundled, removed_on
from evref.domain.catalogue.record_code import RecordCode
from evref.domain.catalogue.search.index import SearchIndex
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.names import Hit
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    RemovedDiagnosisError,
    UnknownDiagnosisError,
)
from evref.domain.rules import Rules

_OVERDUE_AFTER = timedelta(days=365)
_SHORTEST_CODE = 3


@dataclass(frozen=True)
class Entry:
    """A diagnosis with its interventions, in listing order.

    Raises:
        InvalidValueError: If an intervention belongs to another diagnosis.

    """

    diagnosis: Diagnosis
    interventions: tuple[Intervention, ...]

    def __post_init__(self) -> None:
        rules = Rules()
        for intervention in self.interventions:
            rules.require(
                intervention.diagnosis_id == self.diagnosis.id,
                "diagnosis_id",
                f"{intervention.id} belongs to {intervention.diagnosis_id}",
            )
        rules.enforce()
        in_order = tuple(sorted(self.interventions, key=listing_order))
        object.__setattr__(self, "interventions", in_order)

    def visible_interventions(
        self, module: Module | None = None, phase: Phase | None = None
    ) -> tuple[Intervention, ...]:
        """Return the visible interventions, optionally of one module or phase.

        An intervention is visible if its module is enabled for its diagnosis.
        """
        return tuple(
            intervention
            for intervention in self.interventions
            if intervention.module in self.diagnosis.enabled_modules
            and (module is None or intervention.module is module)
            and (phase is None or intervention.phase is phase)
        )

    def hidden_interventions(self) -> tuple[Intervention, ...]:
        """Return the interventions whose modules are not enabled for the diagnosis."""
        enabled = self.diagnosis.enabled_modules
        return tuple(each for each in self.interventions if each.module not in enabled)

    @cached_property
    def version(self) -> str:
        """16 hexadecimal digits that change if and only if the visible content changes.

        This is the diagnosis and its visible interventions.
        """
        is_all_visible = not self.hidden_interventions()
        return (self.digest if is_all_visible else _digest(self.visible_record)).hex()[:16]

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of all content, visible or not."""
        return _digest(_record(self.diagnosis, self.interventions))

    @property
    def visible_record(self) -> content.Record:
        """The visible content as a plain record."""
        return _record(self.diagnosis, self.visible_interventions())


@dataclass(frozen=True, slots=True)
class DiagnosisFilter:
    """Conditions on a diagnosis, combined with AND; an omitted condition admits all."""

    codes: tuple[RecordCode, ...] = ()
    module: Module | None = None

    def admits(self, diagnosis: Diagnosis) -> bool:
        """Return whether the diagnosis meets the conditions.

        Codes of one classification are combined with OR, and the two classifications with AND;
        parts of a request that could not be read are no condition.
        """
        return (self.module is None or self.module in diagnosis.enabled_modules) and (
            {code.classification for code in self.codes if code.read_as is not None}
            == {code.classification for code in self.codes if finds(code, diagnosis)}
        )


EVERYTHING = DiagnosisFilter()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A diagnosis that may be meant, and its name or term that is near the text."""

    diagnosis_id: str
    name: str
    term: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a text finds, best first. If it finds nothing by itself: what may be meant."""

    hits: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class Age:
    """When the entries of a catalogue were last checked against their sources.

    `by_month` counts entries by month, such as 2026-11, oldest first. `overdue` has the ids of
    entries that were not checked for more than a year, oldest first. `oldest` and `newest` are
    None if there are no entries.
    """

    oldest: date | None
    newest: date | None
    by_month: dict[str, int]
    overdue: tuple[str, ...]


class Catalogue:
    """All entries, ordered by the diagnosis's name, then id.

    Raises:
        InvalidValueError: If two diagnoses or two interventions have the same id.

    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.publication_id = ""
        """Differs for each publication, also for those of the same catalogue; empty before."""
        self.publications: tuple[Publication, ...] = ()
        self._index: SearchIndex | None = None
        self.entries = tuple(
            sorted(entries, key=lambda entry: (entry.diagnosis.name, entry.diagnosis.id))
        )
        self._by_id = {entry.diagnosis.id: entry for entry in self.entries}
        repeated = [
            *_repeated(entry.diagnosis.id for entry in self.entries),
            *_repeated(each.id for entry in self.entries for each in entry.interventions),
        ]
        if repeated:
            raise InvalidValueError([Fault("id", f"{name} is not unique") for name in repeated])

    @cached_property
    def version(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 of the content, the same on any machine."""
        whole = hashlib.sha256()
        for digest in sorted(entry.digest for entry in self.entries):
            whole.update(digest)
        return whole.hexdigest()[:16]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the terms, sorted."""
        return tuple(sorted({name for entry in self.entries for name in entry.diagnosis.terms}))

    @property
    def intervention_count(self) -> int:
        return sum(len(entry.interventions) for entry in self.entries)

    @property
    def work_count(self) -> int:
        """The number of different references of all visible interventions."""
        return len(
            {
                reference
                for entry in self.entries
                for each in entry.visible_interventions()
                for reference in each.references
            }
        )

    def age_on(self, day: date) -> Age:
        """Return when the entries were last checked, as of this day."""
        oldest_first = sorted(
            (entry.diagnosis for entry in self.entries),
            key=lambda diagnosis: (diagnosis.checked_on, diagnosis.id),
        )
        checks = [diagnosis.checked_on for diagnosis in oldest_first]
        return Age(
            oldest=min(checks, default=None),
            newest=max(checks, default=None),
            by_month=dict(Counter(f"{check:%Y-%m}" for check in checks)),
            overdue=tuple(
                diagnosis.id
                for diagnosis in oldest_first
                if day - diagnosis.checked_on > _OVERDUE_AFTER
            ),
        )

    def entry(self, diagnosis_id: str) -> Entry:
        """Return the entry of this diagnosis.

        Raises:
            RemovedDiagnosisError: If it was removed, as far as the stored publications tell.
            UnknownDiagnosisError: If there is none.

        """
        try:
            return self._by_id[diagnosis_id]
        except KeyError:
            day = removed_on(diagnosis_id, self.publications)
            if day is not None:
                raise RemovedDiagnosisError(diagnosis_id, day) from None
            raise UnknownDiagnosisError(diagnosis_id) from None

    def find(self, wanted: DiagnosisFilter) -> tuple[Entry, ...]:
        """Return the entries whose diagnosis the filter admits, ordered by name, then id."""
        entries = self.entries
        if any(code.read_as is not None for code in wanted.codes):
            # Comparing 50 codes with 10,000 diagnoses would take seconds.
            ids = set().union(*map(self._near, wanted.codes))
            entries = tuple(entry for entry in entries if entry.diagnosis.id in ids)
        return tuple(entry for entry in entries if wanted.admits(entry.diagnosis))

    def matches(
        self, codes: Iterable[RecordCode], found: Iterable[Entry] | None = None
    ) -> tuple[Match, ...]:
        """Return what each code finds, in the order of the codes; `found` limits it to these."""
        ids = self._by_id.keys() if found is None else {entry.diagnosis.id for entry in found}
        return tuple(self._match(code, ids) for code in codes)

    def _match(self, code: RecordCode, ids: Collection[str]) -> Match:
        near = sorted(self._near(code), key=self._places.__getitem__)
        verdicts = {name: verdict(code, self._by_id[name].diagnosis) for name in near}
        return Match(
            code,
            tuple(
                Fit(name, each.relation, each.code)
                for name, each in verdicts.items()
                if each is not None and each.relation is not None and name in ids
            ),
            tuple(
                name
                for name, each in verdicts.items()
                if each is not None and each.relation is None
            ),
        )

    def make_searchable(self, lexicon: Lexicon, earlier: SearchIndex | None = None) -> None:
        """Build the index for `search`, with what an earlier one has."""
        self._index = SearchIndex(self.entries, lexicon, earlier)

    @property
    def search(self) -> SearchIndex:
        """The search by what people type.

        Raises:
            RuntimeError: If `make_searchable` was not called before.

        """
        if self._index is None:
            raise RuntimeError("this catalogue has no index for the search")
        return self._index

    def named(self, text: str, wanted: DiagnosisFilter = EVERYTHING) -> Findings:
        """Return the diagnoses that the text finds and the filter admits, best first."""
        hits = self.search.names.find(text)
        near = {} if hits else self.search.names.near(text)
        return Findings(
            tuple(hit for hit in hits if wanted.admits(self.entry(hit.diagnosis_id).diagnosis)),
            tuple(Suggestion(each, self.entry(each).diagnosis.name, near[each]) for each in near),
        )

    def _near(self, code: RecordCode) -> set[str]:
        """Return the ids of the diagnoses about which anything may be known for this code."""
        return {
            diagnosis_id
            for stem in code.stems
            for length in range(_SHORTEST_CODE, len(stem) + 1)
            for diagnosis_id in self._ids_by_prefix.get(stem[:length], ())
        }

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.diagnosis.id: place for place, entry in enumerate(self.entries)}

    @cached_property
    def _ids_by_prefix(self) -> dict[str, list[str]]:
        """The ids of the diagnoses by code and by prefix; a cluster is under its first stem."""
        ids = defaultdict(list)
        for entry in self.entries:
            for prefix in prefixes(entry.diagnosis):
                ids[prefix].append(entry.diagnosis.id)
        return dict(ids)

    def compared_with(self, earlier: Catalogue | None) -> Comparison:
        """Return what this catalogue adds, removes and changes for readers of an earlier one.

        A change of hidden interventions alone is not a change.
        """
        before = {} if earlier is None else earlier._by_id  # noqa: SLF001
        after = self._by_id
        changed = (
            change_between(before[name].visible_record, after[name].visible_record)
            for name in after.keys() & before.keys()
            # Equality first, because it is fast, and most entries have not changed.
            if after[name] != before[name] and after[name].version != before[name].version
        )
        return Comparison(
            added=tuple(sorted(after.keys() - before.keys())),
            removed=tuple(sorted(before.keys() - after.keys())),
            changed=tuple(sorted(changed, key=most_urgent_first)),
        )

    def as_published(self, publication_id: str, publications: tuple[Publication, ...]) -> Catalogue:
        """Return this catalogue with the publications up to its own, newest first."""
        published = copy(self)
        published.publication_id = publication_id
        published.publications = publications
        return published

    def licence(self, of_others: str | None) -> str | None:
        """Return the address of the licence: CC BY 4.0 if it was published as the bundled
        catalogue, else that of the operator's own, `of_others`.
        """
        return BUNDLED_LICENCE if is_bundled(self.version, self.publications) else of_others

    def changed_at(self, diagnosis_id: str) -> datetime | None:
        """Return the time of the publication that last changed the version of a diagnosis.

        If none of the stored publications did: the time of the oldest. None if there is none.
        """
        if not self.publications:
            return None
        oldest = self.publications[-1].published_at
        return self._changed_at.get(diagnosis_id, oldest)

    @cached_property
    def _changed_at(self) -> dict[str, datetime]:
        return {
            name: publication.published_at
            for publication in reversed(self.publications)
            if (comparison := publication.comparison) is not None
            for name in (*comparison.added, *(each.diagnosis_id for each in comparison.changed))
        }


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)


def _record(diagnosis: Diagnosis, interventions: Iterable[Intervention]) -> content.Record:
    """Return the content, without keys of references."""
    return content.of_diagnosis(diagnosis) | {
        "interventions": [
            content.of_intervention(each, map(content.of_reference, each.references))
            for each in interventions
        ]
    }


def _digest(record: content.Record) -> bytes:
    """Return the SHA-256 of the record as canonical JSON."""
    text = json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
