"""The search of the page: words, or codes as written in a patient's record."""

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain

from evref.adapters.inbound.web.problems import SearchBusyError
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.matching import Match, best_relations
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.catalogue.remarks import doubts, remarks
from evref.domain.catalogue.search.answers import Answers
from evref.domain.catalogue.search.diagnoses import Hit
from evref.domain.catalogue.search.index import Suggestion
from evref.domain.catalogue.search.lexicon import WiderWord
from evref.domain.catalogue.served import Served
from evref.domain.rules import counted

CLASSIFICATIONS = {
    Classification.ICD_10: "ICD-10",
    Classification.ICD_11: "ICD-11",
    Classification.SNOMED_CT: "SNOMED CT",
}


NO_ANSWERS = Answers()
_LONGEST_ABBREVIATION = 5
_MOST_PARTS = 20
_DIAGNOSES = "diagnosis", "diagnoses"
_SECONDS_TO_WAIT = 1


@dataclass(frozen=True, slots=True)
class Results:
    """The entries that were found, and why: how codes were read and fit, or which names matched.

    Without words, the entries are in the catalogue's order. `missing` are the codes that the
    catalogue does not contain, not even as a broader code. `doubts` says, by id of the diagnosis,
    why a code is only an approximate match. `remarks` are sentences about codes that were not
    searched or mean another condition, and about parts of the text that find nothing. `wider` is
    the wider word of the text, and `answers` are the interventions that the words ask for.
    `lacking` are sentences about words that name no diagnosis.
    """

    entries: tuple[Entry, ...]
    codes: tuple[RecordCode, ...] = ()
    missing: tuple[RecordCode, ...] = ()
    doubts: dict[str, str] | None = None
    remarks: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    wider: WiderWord | None = None
    answers: Answers = NO_ANSWERS
    lacking: tuple[str, ...] = ()

    def meant(self, language: str) -> Entry | None:
        """Return the only entry that the text names, by a certain code, or by a whole name or term.

        An abbreviation counts only if it is English or of the language that the reader prefers.
        """
        if self.doubts is None:
            whole = [hit for hit in self.hits if hit.is_whole]
            is_certain = len(whole) == 1 and not _is_foreign_abbreviation(whole[0], language)
        else:
            is_certain = len(self.codes) == 1 and not self.doubts
        is_only = len(self.entries) == 1 and not self.remarks
        return self.entries[0] if is_certain and is_only else None

    @property
    def asks(self) -> bool:
        """Whether the words ask for an intervention, not only for a diagnosis."""
        return bool(self.answers.interventions) and not self.answers.is_alone


def _is_foreign_abbreviation(hit: Hit, language: str) -> bool:
    is_short = len(hit.matched) <= _LONGEST_ABBREVIATION and hit.matched.isupper()
    return is_short and hit.language not in {None, "en", language}


def search(served: Served, text: str | None, module: Module | None) -> Results:
    """Return the entries that match the text and the module; of several codes, any may match.

    Texts between semicolons are searched separately. A text in the form of a code that finds
    nothing, such as B12, is searched as words.
    """
    catalogue = served.catalogue
    if text is None:
        return Results(catalogue.find(module=module))
    separated = text.split(";", _MOST_PARTS - 1)
    parts = dict.fromkeys(part.strip() for part in separated if part.strip())
    matches: list[Match] = []
    by_words: dict[str, Results] = {}
    for part in parts:
        of_codes = catalogue.matches(_codes(part, served))
        if not any(match.fits for match in of_codes) and not any(remarks(of_codes, catalogue)):
            results = _results_by_words(served, part, module)
            if results.entries or results.answers.interventions or not of_codes:
                by_words[part] = results
                continue
        matches += of_codes
    by_codes = _results_by_codes(catalogue, matches, module)
    if len(parts) == 1 and by_words:
        return next(iter(by_words.values()))
    return _joined(by_codes, by_words) if by_words else by_codes


class OneAtATime:
    """Allows one search at a time per worker, because searches use the CPU and need no key."""

    def __init__(self) -> None:
        self._running = threading.Lock()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Wait at most this number of seconds until no other search runs.

        Raises:
            SearchBusyError: If another search is still running.

        """
        if not self._running.acquire(timeout=seconds):
            raise SearchBusyError
        try:
            yield
        finally:
            self._running.release()

    def results(self, served: Served, text: str | None, module: Module | None = None) -> Results:
        """Return the results of `search`, after waiting up to a second for another search.

        Raises:
            SearchBusyError: If the other search is still running.

        """
        with self.turn(_SECONDS_TO_WAIT) if text is not None else nullcontext():
            return search(served, text, module)


def _joined(by_codes: Results, by_words: Mapping[str, Results]) -> Results:
    """Return the combined results of the codes and of each part of words."""
    every = (by_codes, *by_words.values())
    entries = {entry.diagnosis.id: entry for results in every for entry in results.entries}
    return Results(
        tuple(entries.values()),
        by_codes.codes,
        by_codes.missing,
        by_codes.doubts,
        tuple(chain(by_codes.remarks, *map(_remarks, by_words.values()))),
        tuple(chain(*(results.hits for results in every))),
        tuple(chain(*(results.suggestions for results in every))),
        answers=next((results.answers for results in every if results.asks), NO_ANSWERS),
    )


def _remarks(results: Results) -> Iterator[str]:
    if results.wider is not None:
        yield f"“{results.wider.text}” is wider than one diagnosis"
    yield from results.lacking


def _results_by_words(served: Served, text: str, module: Module | None) -> Results:
    named = served.search.diagnoses(text)
    by_id = {entry.diagnosis.id: entry for entry in served.catalogue.find(module=module)}
    hits = tuple(hit for hit in named.hits if hit.diagnosis_id in by_id)
    answers = served.search.interventions(text)
    if module is not None:
        narrowed = tuple(
            intervention for intervention in answers.interventions if intervention.module is module
        )
        answers = replace(answers, interventions=narrowed)
    return Results(
        tuple(by_id[hit.diagnosis_id] for hit in hits),
        hits=hits,
        suggestions=named.suggestions,
        wider=named.wider,
        answers=answers,
        lacking=() if named.hits else tuple(_lacking(served, text, answers)),
    )


def _lacking(served: Served, text: str, answers: Answers) -> Iterator[str]:
    """Yield sentences about words that the catalogue does not contain, or that may be misspelt."""
    diagnoses = counted(len(served.catalogue.entries), *_DIAGNOSES)
    absent = served.search.absent(text)
    if answers.interventions and absent != " ".join(text.split()):
        return
    unknown = () if answers.interventions else served.search.unknown(text)
    if absent or not unknown:
        yield f"The catalogue has {diagnoses}, none named “{absent or text}”"
    if unknown:
        words = "”, “".join(unknown)
        yield (
            f"The search does not know “{words}”, which may be misspelt or missing from the "
            f"catalogue of {diagnoses}"
        )


def _results_by_codes(
    catalogue: Catalogue, matches: Sequence[Match], module: Module | None
) -> Results:
    ids = best_relations(matches)
    return Results(
        tuple(entry for entry in catalogue.find(module=module) if entry.diagnosis.id in ids),
        tuple(match.code for match in matches if match.code.read_as is not None),
        tuple(
            match.code
            for match in matches
            if match.code.stems and not match.fits and not match.excluded_from
        ),
        doubts(matches),
        tuple(remarks(matches, catalogue)),
    )


def _codes(text: str, served: Served) -> tuple[RecordCode, ...]:
    """Return the codes in the text, separated by commas; those of a list of codes without commas.

    Words among codes are unreadable parts. A text without any code returns an empty list.
    """
    codes = tuple(
        code for part in re.split("[,;]", text) if part.strip() for code in _in_part(part, served)
    )
    return codes if any(code.read_as is not None for code in codes) else ()


def _in_part(part: str, served: Served) -> tuple[RecordCode, ...]:
    whole = _read(part, served)
    if any(code.read_as is None for code in whole):
        separate = tuple(code for word in part.split() for code in _read(word, served))
        if all(code.read_as is not None for code in separate):
            return separate
    return whole


def _read(part: str, served: Served) -> tuple[RecordCode, ...]:
    of_icd10, *others = (
        served.read(read_part(classification, part)) for classification in Classification
    )
    return next((codes for codes in others if codes[0].read_as is not None), of_icd10)
