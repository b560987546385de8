"""The catalogue as a whole: immutable, versioned by its content, and searchable."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from evref.domain.catalogue import records
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.intervention import Intervention, Phase, listing_order
from evref.domain.catalogue.record_code import RecordCode
from evref.domain.errors import Fault, InvalidValueError, UnknownDiagnosisError
from evref.domain.rules import Rules, folded

_OVERDUE_AFTER = timedelta(days=365)


@dataclass(frozen=True)
class Entry:
    """A diagnosis together with its interventions, which are kept in listing order.

    Raises:
        InvalidValueError: when an intervention belongs to another diagnosis.

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
        """The interventions that may be shown, of this module and phase where one is named.

        An intervention is visible only while its module is enabled for its diagnosis.
        """
        return tuple(
            intervention
            for intervention in self.interventions
            if intervention.module in self.diagnosis.enabled_modules
            and (module is None or intervention.module is module)
            and (phase is None or intervention.phase is phase)
        )

    @cached_property
    def version(self) -> str:
        """16 hexadecimal digits that change when, and only when, what is served of it does.

        That is the diagnosis and its visible interventions.
        """
        return _digest(self.diagnosis, self.visible_interventions()).hex()[:16]

    def digest(self) -> bytes:
        """SHA-256 of all its content, visible or not."""
        return _digest(self.diagnosis, self.interventions)


@dataclass(frozen=True, slots=True)
class Match:
    """A code that was asked for, and the ids of the diagnoses that it found."""

    code: RecordCode
    diagnosis_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiagnosisFilter:
    """What a diagnosis must meet; what is left out asks for nothing, and all else must be met."""

    codes: tuple[RecordCode, ...] = ()
    module: Module | None = None
    text: str | None = None

    def admits(self, diagnosis: Diagnosis) -> bool:
        """Whether the diagnosis meets it.

        Codes admit the diagnoses that any of them finds; where there are codes of both
        classifications, any of each. `text` admits those in whose name each of its words is
        found, ignoring case and accents. A text without a word admits none.
        """
        return (
            (self.module is None or self.module in diagnosis.enabled_modules)
            and {code.CLASSIFICATION for code in self.codes}
            == {code.CLASSIFICATION for code in self.codes if code.finds(diagnosis)}
            and (self.text is None or _has_words(diagnosis.name, self.text))
        )

    def matches(self, found: Iterable[Entry]) -> tuple[Match, ...]:
        """Which of the entries that were found each code finds, in the order of the codes."""
        diagnoses = tuple(entry.diagnosis for entry in found)
        return tuple(
            Match(code, tuple(one.id for one in diagnoses if code.finds(one)))
            for code in self.codes
        )


@dataclass(frozen=True, slots=True)
class Age:
    """When the entries of a catalogue were last held against their sources.

    `by_month` counts entries by month, as 2026-11, oldest first; `overdue` has the ids of those
    that were not checked for more than a year, longest first. There is no oldest and no newest
    check where there are no entries.
    """

    oldest: date | None
    newest: date | None
    by_month: dict[str, int]
    overdue: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogueChanges:
    """The ids of the diagnoses by which one catalogue differs from another, each sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


class Catalogue:
    """All entries, ordered by the diagnosis's name, then id.

    Two catalogues with the same content have the same `version`, on any machine. Storage that
    has kept the version of what it loads gives it: then neither is it worked out again, nor is
    looked at interventions, which were judged when they were stored.

    Raises:
        InvalidValueError: when two diagnoses or two interventions have one id.

    """

    def __init__(self, entries: Iterable[Entry], *, version: str | None = None) -> None:
        self._known_version = version
        self.entries = tuple(
            sorted(entries, key=lambda entry: (entry.diagnosis.name, entry.diagnosis.id))
        )
        self._by_id = {entry.diagnosis.id: entry for entry in self.entries}
        repeated = _repeated(entry.diagnosis.id for entry in self.entries)
        if version is None:
            repeated += _repeated(
                intervention.id for entry in self.entries for intervention in entry.interventions
            )
        if repeated:
            raise InvalidValueError([Fault("id", f"{name} is not unique") for name in repeated])

    @cached_property
    def version(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 of the content."""
        if self._known_version is not None:
            return self._known_version
        whole = hashlib.sha256()
        for digest in sorted(entry.digest() for entry in self.entries):
            whole.update(digest)
        return whole.hexdigest()[:16]

    @property
    def intervention_count(self) -> int:
        return sum(len(entry.interventions) for entry in self.entries)

    def age_on(self, day: date) -> Age:
        """When its entries were last checked, as seen on this day."""
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
        """The entry of this diagnosis.

        Raises:
            UnknownDiagnosisError: when there is none.

        """
        try:
            return self._by_id[diagnosis_id]
        except KeyError:
            raise UnknownDiagnosisError(diagnosis_id) from None

    def find(self, wanted: DiagnosisFilter) -> tuple[Entry, ...]:
        """The entries whose diagnosis the filter admits, ordered by name, then id."""
        return tuple(
            entry
            for entry in self._with_ancestor_of(wanted.codes)
            if wanted.admits(entry.diagnosis)
        )

    def _with_ancestor_of(self, codes: tuple[RecordCode, ...]) -> Iterable[Entry]:
        """The entries that codes can find, in order; all where there are no codes."""
        if not codes:
            return self.entries
        # Each of 50 codes against each of 10,000 diagnoses would take seconds.
        ids = {
            diagnosis_id
            for code in codes
            for ancestor in code.ancestors
            for diagnosis_id in self._ids_by_stem.get(ancestor, ())
        }
        return (entry for entry in self.entries if entry.diagnosis.id in ids)

    @cached_property
    def _ids_by_stem(self) -> dict[str, list[str]]:
        """The ids of the diagnoses by each code, a cluster being under its first stem."""
        ids = defaultdict(list)
        for entry in self.entries:
            diagnosis = entry.diagnosis
            stems = [code.first_stem for code in diagnosis.icd11_codes]
            for stem in [*(code.text for code in diagnosis.icd10_codes), *stems]:
                ids[stem].append(diagnosis.id)
        return dict(ids)

    def changes_since(self, earlier: Catalogue | None) -> CatalogueChanges:
        """What this catalogue adds to, changes in and removes from an earlier one."""
        before = {} if earlier is None else {e.diagnosis.id: e for e in earlier.entries}
        return CatalogueChanges(
            added=tuple(sorted(self._by_id.keys() - before.keys())),
            changed=tuple(
                sorted(
                    name
                    for name in self._by_id.keys() & before.keys()
                    if self._by_id[name] != before[name]
                )
            ),
            removed=tuple(sorted(before.keys() - self._by_id.keys())),
        )


def _has_words(name: str, text: str) -> bool:
    words = folded(text).split()
    return bool(words) and all(word in folded(name) for word in words)


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)


def _digest(diagnosis: Diagnosis, interventions: Iterable[Intervention]) -> bytes:
    """SHA-256 of the content as canonical JSON, in which no keys of references occur."""
    content = records.of_diagnosis(diagnosis) | {
        "interventions": [
            records.of_intervention(each, map(records.of_reference, each.references))
            for each in interventions
        ]
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
