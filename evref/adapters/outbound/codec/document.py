"""The document of an entry: JSON data, as catalogue files and databases have it.

Its references are in a separate mapping, under keys that are local to the
document; interventions cite these keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import partial
from itertools import islice

from evref.adapters.outbound.codec.records import (
    Errors,
    Path,
    UnreadableError,
    errors_of,
    read_list,
    read_record,
    read_text,
    wrong,
)
from evref.domain.catalogue.content import Record, content_of
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.effect import Effect
from evref.domain.catalogue.entry import Entry, mainstay_faults
from evref.domain.catalogue.evidence import Recommendation, Reference, surname_and_initials
from evref.domain.catalogue.intervention import Intervention
from evref.domain.declaration import declared
from evref.domain.errors import Fault, InvalidValueError
from evref.domain.rules import folded

_LONGEST_AUTHOR = 30
_MOST_SHOWN = 50


def to_document(entry: Entry) -> Record:
    """Return the document of an entry.

    The key of a reference is its first author and year, with a letter if two would be the same:
    `kolasinski-2020`, `nice-2022a`. References are in the order in which they are first cited.
    """
    keys = _keys(
        reference for intervention in entry.interventions for reference in intervention.references
    )
    optional = {field.name for field in declared(Diagnosis) if field.is_optional}
    diagnosis = content_of(entry.diagnosis)
    return {
        **{name: diagnosis[name] for name in sorted(diagnosis, key=optional.__contains__)},
        "interventions": [
            _of_intervention(intervention, [keys[work] for work in intervention.references])
            for intervention in entry.interventions
        ],
        "references": {key: content_of(reference) for reference, key in keys.items()},
    }


def _of_intervention(intervention: Intervention, keys: list[str]) -> Record:
    record = content_of(intervention) | {"references": keys}
    for effect in record.get("effects", ()):
        effect["reference"] = keys[effect["reference"]]
    return record


def from_document(document: object, *, is_valid: bool = False) -> Entry:
    """Return the entry in a document.

    If the values are known to be valid, only their types are checked.

    Raises:
        InvalidValueError: If a field is missing or unknown, has a wrong type, or breaks a rule of
            the domain; has every error with its path in the document.

    """
    try:
        return _entry(document, is_valid=is_valid)
    except UnreadableError as error:
        raise InvalidValueError([_fault(path, message) for path, message in error.errors]) from None


def _fault(path: Path, message: str) -> Fault:
    """Return the error at a path, whose last name is that of a field."""
    *parents, last = path or ("",)
    if isinstance(last, int):
        *parents, field = parents
        return Fault(str(field), message, tuple(parents), item=last)
    return Fault(last, message, tuple(parents))


def _entry(document: object, *, is_valid: bool) -> Entry:
    errors = Errors()
    diagnosis = None
    try:
        diagnosis = read_record(
            Diagnosis, document, ("interventions", "references"), is_valid=is_valid
        )
    except UnreadableError as error:
        errors.add(error)
    if not isinstance(document, dict):
        raise UnreadableError(errors)
    references = _references(document.get("references", {}), errors, is_valid=is_valid)
    # In place of an invalid id, so that the interventions are checked too.
    reader = _InterventionReader(
        diagnosis.id if diagnosis else "unknown", references, is_valid=is_valid
    )
    interventions: tuple[Intervention, ...] = ()
    try:
        interventions = read_list(reader.read, document.get("interventions", []))
    except UnreadableError as error:
        errors.add(error, "interventions")
    errors += reader.uncited()
    if diagnosis is not None and not errors:
        return Entry(diagnosis, interventions)
    raise UnreadableError(errors + _mainstay_errors(document))


def _references(content: object, errors: Errors, *, is_valid: bool) -> dict[str, Reference | None]:
    """Return the references by key, None for each invalid one."""
    if not isinstance(content, dict):
        errors.add(wrong("a mapping", content), "references")
        return {}
    references: dict[str, Reference | None] = dict.fromkeys(content)
    for key, reference in content.items():
        try:
            references[key] = read_record(Reference, reference, is_valid=is_valid)
        except UnreadableError as error:
            errors.add(error, "references", key)
    return references


class _InterventionReader:
    """Reads the interventions of a diagnosis, which cite its references by their keys."""

    def __init__(
        self, diagnosis_id: str, references: Mapping[str, Reference | None], *, is_valid: bool
    ) -> None:
        self._diagnosis_id = diagnosis_id
        self._references = references
        self._is_valid = is_valid
        self._defined = ", ".join(islice(references, _MOST_SHOWN)) or "none"
        self._uncited = {*references}

    def read(self, content: object) -> Intervention:
        keys = content.get("references") if isinstance(content, dict) else None
        if isinstance(keys, list) and all(isinstance(key, str) for key in keys):
            self._uncited -= {*keys}
        else:
            # What it cites is not known.
            self._uncited = set()
        effect = partial(
            read_record, Effect, is_valid=self._is_valid, reference=partial(_index, keys)
        )
        return read_record(
            Intervention,
            content,
            is_valid=self._is_valid,
            diagnosis_id=lambda _: self._diagnosis_id,
            references=self._cited,
            effects=partial(read_list, effect),
        )

    def _cited(self, content: object) -> tuple[Reference, ...]:
        errors = Errors()
        cited: dict[str, Reference | None] = {}
        for place, key in enumerate(read_list(read_text, content)):
            if key in cited:
                errors.append(((place,), f"must not repeat {key}"))
            elif key not in self._references:
                message = f"{key} is not defined; the references are {self._defined}"
                errors.append(((place,), message))
            cited[key] = self._references.get(key)
        valid = tuple(reference for reference in cited.values() if reference is not None)
        if errors or len(valid) < len(cited):
            raise UnreadableError(errors)
        return valid

    def uncited(self) -> list[tuple[Path, str]]:
        """Return an error for each reference that is not cited, if all citations could be read."""
        return [
            (("references", key), "is not cited by any intervention, remove it")
            for key in self._references
            if key in self._uncited
        ]


def _index(keys: object, content: object) -> int:
    key = read_text(content)
    if not isinstance(keys, list) or not keys:
        return 0
    if key not in keys:
        message = f"must be one of the intervention's references, {', '.join(map(str, keys))}"
        raise UnreadableError([((), message)])
    return keys.index(key)


def _mainstay_errors(document: Record) -> list[tuple[Path, str]]:
    """Return the errors of mainstays in a document that has other errors."""
    try:
        mainstays = read_list(read_text, document.get("mainstays"))
        modules = read_list(read_text, document.get("enabled_modules"))
        interventions = {
            str(record.get("id")): (
                _member_or_none(Module, record, "module"),
                _member_or_none(Recommendation, record.get("evidence"), "recommendation"),
            )
            for record in read_list(lambda record: record, document.get("interventions"))
            if isinstance(record, dict)
        }
    except UnreadableError:
        return []
    if not {*modules} <= {*Module}:
        # Any module may be meant by the one that is wrong.
        modules = (*Module,)
    return errors_of(mainstay_faults(mainstays, modules, interventions))


def _member_or_none(kind: type[StrEnum], record: object, name: str) -> str | None:
    text = record.get(name) if isinstance(record, dict) else None
    return next((member for member in kind if member == text), None)


def _keys(cited: Iterable[Reference]) -> dict[Reference, str]:
    """Return a key for each reference, in the given order."""
    stems = {work: f"{_author(work.authors)}-{work.year}" for work in cited}
    times = Counter(stems.values())
    before: Counter[str] = Counter()
    keys = {}
    for work, stem in stems.items():
        keys[work] = stem + (_letters(before[stem]) if times[stem] > 1 else "")
        before[stem] += 1
    return keys


def _author(authors: str) -> str:
    """Return the first author's surname, or the start of an organisation's name, as a slug.

    >>> _author("Martin Ginis KA, van der Scheer JW")
    'martin-ginis'
    """
    surname, _ = surname_and_initials(authors.partition(",")[0].strip())
    name = folded(surname)
    slug = ""
    for word in re.findall("[a-z0-9]+", re.sub("['\u2019]", "", name)):
        longer = f"{slug}-{word}" if slug else word
        if slug and len(longer) > _LONGEST_AUTHOR:
            break
        slug = longer[:_LONGEST_AUTHOR]
    return slug or "unnamed"


def _letters(place: int) -> str:
    """Return the letters of an index from 0: a to z, then aa, ab and so on."""
    more, last = divmod(place, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)
