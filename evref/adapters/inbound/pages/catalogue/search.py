"""The search of the page: words, or codes as written in a patient's record."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

from evref.adapters.inbound.web.problems import SearchBusyError
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.catalogue.search.found import Answers, Found, Hit, ReadAs
from evref.domain.catalogue.served import Question, Served
from evref.domain.rules import counted

CLASSIFICATIONS = {
    Classification.ICD_10: "ICD-10",
    Classification.ICD_11: "ICD-11",
    Classification.SNOMED_CT: "SNOMED CT",
}


NO_ANSWERS = Answers()
_LONGEST_ABBREVIATION = 5
_MOST_PARTS = 20
_MOST_WORDS = 6
_DIAGNOSES = "diagnosis", "diagnoses"
_SECONDS_TO_WAIT = 1


@dataclass(frozen=True, slots=True)
class Results:
    """What a text finds: entries, and the interventions that the words ask for.

    `lacking` are sentences about words that name no diagnosis. `parts` are single words that
    find interventions, with their number, if the text finds nothing. `is_joined` is whether several
    texts were searched.
    """

    found: Found
    answers: Answers = NO_ANSWERS
    lacking: tuple[str, ...] = ()
    parts: tuple[tuple[str, int], ...] = ()
    is_joined: bool = False

    def meant(self, language: str) -> Entry | None:
        """Return the only entry that the text names, by a certain code, or by a whole name or term.

        An abbreviation counts only if it is English or of the language that the reader prefers.
        """
        found = self.found
        if found.matches:
            is_certain = len(found.codes) == 1 and not found.doubts and not self.asks
        elif self.is_joined:
            is_certain = False
        else:
            whole = [hit for hit in found.hits if hit.is_whole]
            is_certain = len(whole) == 1 and not _is_foreign_abbreviation(whole[0], language)
        is_only = len(found.entries) == 1 and not found.remarks and not found.umbrella
        return found.entries[0] if is_certain and is_only else None

    @property
    def asks(self) -> bool:
        """Whether the words ask for an intervention, not only for a diagnosis."""
        return bool(self.answers.interventions) and not self.answers.is_alone

    @property
    def how_read(self) -> tuple[str, ...]:
        """What words that count were read as, if the results do not say it."""
        pieces = (
            piece
            for piece in self.found.read
            if piece.read_as is not ReadAs.WIDER and piece.words not in self.ignored
        )
        return tuple(filter(None, (piece.sentence for piece in pieces)))

    @property
    def ignored(self) -> tuple[str, ...]:
        """The words that did not count, for diagnoses and for interventions."""
        return tuple(dict.fromkeys((*self.answers.ignored, *self.found.ignored)))

    @property
    def finds(self) -> bool:
        return bool(self.found.entries or self.answers.interventions)


def _is_foreign_abbreviation(hit: Hit, language: str) -> bool:
    is_short = len(hit.matched) <= _LONGEST_ABBREVIATION and hit.matched.isupper()
    return is_short and hit.language not in {None, "en", language}


def search(served: Served, text: str | None, module: Module | None) -> Results:
    """Return the entries that match the text and the module; of several codes, any may match.

    Texts between semicolons are searched separately. A text in the form of a code that finds
    nothing, such as B12, is searched as words.
    """
    if text is None:
        return Results(served.find(Question(module=module)))
    separated = text.split(";", _MOST_PARTS - 1)
    parts = dict.fromkeys(part.strip() for part in separated if part.strip())
    every = [_results(served, part, module) for part in parts]
    return every[0] if len(every) == 1 else _joined(every)


def _results(served: Served, part: str, module: Module | None) -> Results:
    codes = _codes(part, served)
    if not codes:
        by_words = _results_by_words(served, part, module)
        return by_words if by_words.finds else _of_code(served, part, module) or by_words
    found = served.find(Question(codes=codes, module=module))
    if not found.entries and not found.remarks:
        by_words = _results_by_words(served, part, module)
        if by_words.finds:
            return by_words
    return Results(found)


def _of_code(served: Served, text: str, module: Module | None) -> Results | None:
    """Return what words such as “M54.5 exercise” find in the diagnoses of the codes among them."""
    words: list[str] = []
    codes: list[RecordCode] = []
    for word in text.split():
        read = _read(word, served) if any(map(str.isdigit, word)) else ()
        is_code = any(code.read_as is not None for code in read)
        codes += read if is_code else ()
        words += () if is_code else (word,)
    found = served.find(Question(codes=tuple(codes), module=module))
    if not codes or not found.entries:
        return None
    ids = tuple(entry.diagnosis.id for entry in found.entries)
    question = Question(words=" ".join(words), diagnosis_ids=ids, module=module)
    return Results(found, served.answers(question))


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
        """Return the results of `search`, after waiting up to a second for another search."""
        with self.turn(_SECONDS_TO_WAIT) if text is not None else nullcontext():
            return search(served, text, module)


def _joined(every: Sequence[Results]) -> Results:
    """Return the combined results of the parts of a text."""
    found = Found.joined(
        replace(results.found, remarks=(*results.found.remarks, *_remarks(results)))
        for results in every
    )
    answers = next((results.answers for results in every if results.asks), NO_ANSWERS)
    return Results(found, answers, is_joined=True)


def _remarks(results: Results) -> Iterator[str]:
    if results.found.umbrella is not None:
        yield f"“{results.found.umbrella.text}” is wider than one diagnosis"
    yield from results.lacking


def _results_by_words(served: Served, text: str, module: Module | None) -> Results:
    question = Question(words=text, module=module)
    found, answers = served.find(question), served.answers(question)
    results = Results(found, answers, tuple(_lacking(served, text, found, answers)))
    return results if results.finds else replace(results, parts=tuple(_parts(served, text)))


def _parts(served: Served, text: str) -> Iterator[tuple[str, int]]:
    words = text.split()
    for word in words[:_MOST_WORDS] if len(words) > 1 else ():
        number = len(served.answers(Question(words=word)).interventions)
        if number:
            yield word, number


def _lacking(served: Served, text: str, found: Found, answers: Answers) -> Iterator[str]:
    """Yield sentences about words that the catalogue does not contain, or that may be misspelt."""
    diagnoses = counted(len(served.catalogue.entries), *_DIAGNOSES)
    if found.hits or (answers.interventions and " ".join(text.split()) not in found.absent):
        return
    unknown = () if answers.interventions else found.ignored
    absent = "”, “".join(found.absent)
    if absent or not unknown:
        yield f"The catalogue has {diagnoses}, none named “{absent or text}”"
    if unknown:
        words = "”, “".join(unknown)
        yield (
            f"The search does not know “{words}”, which may be misspelt or missing from the "
            f"catalogue of {diagnoses}"
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
        served.resolve(read_part(classification, part)) for classification in Classification
    )
    return next((codes for codes in others if codes[0].read_as is not None), of_icd10)
