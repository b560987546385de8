"""The catalogue as a whole: immutable, and versioned by its content.

Diagnoses are grouped by the chapters of ICD-10 (WHO, 2019).
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from functools import cached_property
from itertools import islice, product

from evref.domain.catalogue.diagnosis import ID_LENGTH, Diagnosis
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.matching import Match, Narrower, codes_below, fit, prefixes
from evref.domain.catalogue.publication import Comparison, change_between, most_urgent_first
from evref.domain.catalogue.record_code import MOST_VALUES, RecordCode
from evref.domain.errors import Fault, InvalidValueError, UnknownDiagnosisError

_OVERDUE_AFTER = timedelta(days=365)
_SHORTEST_CODE = 3
# The first category of each chapter, in alphabetical order, and the subject of the chapter.
_CHAPTERS = (
    ("A00", "Infections"),
    ("C00", "Cancer and other tumours"),
    ("D50", "Blood and immune system"),
    ("E00", "Hormones, nutrition and metabolism"),
    ("F00", "Mental health"),
    ("G00", "Brain and nerves"),
    ("H00", "Eyes"),
    ("H60", "Ears and balance"),
    ("I00", "Heart and circulation"),
    ("J00", "Lungs and breathing"),
    ("K00", "Digestion and mouth"),
    ("L00", "Skin"),
    ("M00", "Muscles, bones and joints"),
    ("N00", "Kidneys, bladder and sexual organs"),
    ("O00", "Pregnancy and childbirth"),
    ("P00", "Newborns"),
    ("Q00", "Conditions from birth"),
    ("R00", "Symptoms"),
    ("S00", "Injuries and poisoning"),
    ("U00", "COVID-19 and special codes"),
    ("V01", "Causes of injury"),
    ("Z00", "Health services"),
)
_MOST_RELATED = 6


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
    """All entries, ordered by the diagnosis's name, then id. Ids are unique."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(
            sorted(entries, key=lambda entry: (entry.diagnosis.name, entry.diagnosis.id))
        )
        self._by_id = {entry.diagnosis.id: entry for entry in self.entries}
        repeated = [
            *_repeated(entry.diagnosis.id for entry in self.entries),
            *_repeated(
                intervention.id for entry in self.entries for intervention in entry.interventions
            ),
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
        return tuple(sorted({name for entry in self.entries for name in entry.diagnosis.terms}))

    @property
    def intervention_count(self) -> int:
        return sum(len(entry.interventions) for entry in self.entries)

    @property
    def work_count(self) -> int:
        """The number of different works that the visible interventions cite, by their addresses."""
        works = {
            reference.url.lower()
            for entry in self.entries
            for intervention in entry.visible_interventions()
            for reference in intervention.references
        }
        return len(works)

    def age_on(self, day: date) -> Age:
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
        try:
            return self._by_id[diagnosis_id]
        except KeyError:
            raise UnknownDiagnosisError(diagnosis_id) from None

    @cached_property
    def by_intervention(self) -> dict[str, Entry]:
        """The entry of each intervention, also of a hidden one, by the id of the intervention."""
        return {
            intervention.id: entry for entry in self.entries for intervention in entry.interventions
        }

    def nearest_ids(self, text: str) -> list[str]:
        """Return up to three ids of diagnoses that are spelled like the text, nearest first."""
        return get_close_matches(text[: ID_LENGTH.longest], self._by_id)

    def matches(self, codes: Iterable[RecordCode]) -> tuple[Match, ...]:
        return tuple(map(self._match, codes))

    def _match(self, code: RecordCode) -> Match:
        near = {
            index
            for stem in code.stems
            for length in range(_SHORTEST_CODE, len(stem) + 1)
            for index in self._indexes_by_prefix.get(stem[:length], ())
        }
        candidates = (fit(code, self.entries[index].diagnosis) for index in sorted(near))
        decided = [candidate for candidate in candidates if candidate is not None]
        fits = tuple(candidate for candidate in decided if candidate.relation is not None)
        narrower = (
            Narrower(entry.diagnosis.id, codes)
            for entry in self.entries
            if (codes := codes_below(code, entry.diagnosis))
        )
        return Match(
            code,
            fits,
            tuple(candidate.diagnosis_id for candidate in decided if candidate.relation is None),
            () if fits or not code.stems else tuple(islice(narrower, MOST_VALUES)),
        )

    @cached_property
    def _indexes_by_prefix(self) -> dict[str, list[int]]:
        """The indexes of the entries by code and by prefix; a cluster is under its first stem."""
        indexes = defaultdict(list)
        for index, entry in enumerate(self.entries):
            for prefix in prefixes(entry.diagnosis):
                indexes[prefix].append(index)
        return dict(indexes)

    def related(self, diagnosis: Diagnosis) -> tuple[Diagnosis, ...]:
        """Return a few related diagnoses: those with a shared code, then others of its chapter.

        Two diagnoses share a code if they have the same code, or if one code is below the other. In
        each part, the diagnosis with the nearest code comes first.
        """
        chapter = chapter_of(diagnosis)
        others = (entry.diagnosis for entry in self.entries if entry.diagnosis.id != diagnosis.id)
        ranked = sorted(
            (
                (not _share_a_code(diagnosis, other), _distance(diagnosis, other), other)
                for other in others
                if _share_a_code(diagnosis, other) or chapter_of(other) == chapter
            ),
            key=lambda rank: rank[:2],
        )
        return tuple(other for *_, other in ranked[:_MOST_RELATED])

    def compared_with(self, earlier: Catalogue | None) -> Comparison:
        """Return what this catalogue adds, removes and changes for readers of an earlier one.

        A change that affects only hidden interventions does not count.
        """
        before = {} if earlier is None else earlier._by_id  # noqa: SLF001
        after = self._by_id
        changed = (
            change_between(before[name].visible_record, after[name].visible_record)
            for name in after.keys() & before.keys()
            # Equality first, because it is fast, and most entries have not changed.
            if after[name] != before[name] and after[name].version != before[name].version
        )
        removed = sorted(before.keys() - after.keys())
        return Comparison(
            added=tuple(sorted(after.keys() - before.keys())),
            removed=tuple(removed),
            changed=tuple(sorted(changed, key=most_urgent_first)),
            removed_with_them=tuple(
                intervention.id
                for name in removed
                for intervention in before[name].visible_interventions()
            ),
        )


def chapter_of(diagnosis: Diagnosis) -> str:
    """Return the chapter of the diagnosis's first ICD-10 code, in plain words."""
    category = diagnosis.icd10_codes[0][:3]
    return next(words for first, words in reversed(_CHAPTERS) if category >= first)


def by_chapter(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each chapter that has any, in the order of ICD-10."""
    groups: dict[str, list[Entry]] = {words: [] for _, words in _CHAPTERS}
    for entry in entries:
        groups[chapter_of(entry.diagnosis)].append(entry)
    return {words: group for words, group in groups.items() if group}


def _share_a_code(diagnosis: Diagnosis, other: Diagnosis) -> bool:
    # ICD-10 and ICD-11 codes differ in their second character, so one is never below the other.
    pairs = product(_codes(diagnosis), _codes(other))
    return any(a.startswith(b) or b.startswith(a) for a, b in pairs)


def _codes(diagnosis: Diagnosis) -> list[str]:
    return [*diagnosis.icd10_codes, *diagnosis.icd11_codes]


def _distance(diagnosis: Diagnosis, other: Diagnosis) -> int:
    return min(
        abs(_number(a) - _number(b)) for a, b in product(diagnosis.icd10_codes, other.icd10_codes)
    )


def _number(code: str) -> int:
    """Return a sort number of the code, in which subdivisions follow their category."""
    return ord(code[0]) * 10_000 + int(code[1:3]) * 100 + int((code[4:] + "00")[:2])


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)
