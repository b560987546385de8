"""The document of an entry: JSON data, as catalogue files and databases have it.

Its references are in a separate mapping, under keys that are local to the
document; interventions cite these keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from textwrap import wrap
from typing import Any

from evref.adapters.outbound.codec.records import (
    Errors,
    UnreadableError,
    read_each,
    read_list,
    read_record,
    read_text,
    wrong,
)
from evref.domain.catalogue.content import Record, content_of
from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.effect import Effect
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Reference, surname_and_initials
from evref.domain.catalogue.intervention import Intervention
from evref.domain.declaration import declared
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
    """
    errors = Errors()
    parts = ("interventions", "references")
    diagnosis = errors.read((), read_record, Diagnosis, document, parts, is_valid=is_valid)
    if not isinstance(document, dict):
        raise UnreadableError(errors)
    content: Any = document.get("references")
    references = errors.read(("references",), _references, content, is_valid=is_valid)
    if references is None:
        # Keys in the place of references, so that the interventions are checked too.
        references = {key: key for key in content} if isinstance(content, dict) else {}
    read = partial(
        _intervention, diagnosis.id if diagnosis else "unknown", references, is_valid=is_valid
    )
    content = document.get("interventions")
    interventions = errors.read(("interventions",), read_list, read, content)
    if interventions is None:
        raise UnreadableError(errors)
    cited = {key for record in content for key in record["references"]}
    errors += [
        (("references", key), "is not cited by any intervention, remove it")
        for key in references
        if key not in cited
    ]
    entry = None
    if diagnosis is not None:
        entry = errors.read((), Entry, diagnosis, interventions)
    if errors or entry is None:
        raise UnreadableError(errors)
    return entry


def _references(content: object, *, is_valid: bool) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise wrong("a mapping", content)
    return read_each(partial(read_record, Reference, is_valid=is_valid), content.items())


def _intervention(
    diagnosis_id: str, references: Mapping[str, Any], content: object, *, is_valid: bool
) -> Intervention:
    keys = content.get("references") if isinstance(content, dict) else None
    return read_record(
        Intervention,
        content,
        is_valid=is_valid,
        diagnosis_id=lambda _: diagnosis_id,
        references=partial(_cited, references),
        effects=partial(
            read_list,
            partial(read_record, Effect, is_valid=is_valid, reference=partial(_index, keys)),
        ),
    )


def _cited(references: Mapping[str, Any], keys: object) -> tuple[Any, ...]:
    defined = ", ".join(islice(references, _MOST_SHOWN)) or "none"
    errors = Errors()
    cited: dict[str, Any] = {}
    for place, key in enumerate(read_list(read_text, keys)):
        if key in cited:
            errors.append(((place,), f"must not repeat {key}"))
        elif key not in references:
            message = f"{key} is not defined; the references are {defined}"
            errors.append(((place,), message))
        cited[key] = references.get(key)
    errors.enforce()
    return tuple(cited.values())


def _index(keys: object, content: object) -> int:
    key = read_text(content)
    if not isinstance(keys, list) or not keys:
        return 0
    if key not in keys:
        message = f"must be one of the intervention's references, {', '.join(map(str, keys))}"
        raise UnreadableError([((), message)])
    return keys.index(key)


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
    words = re.findall("[a-z0-9]+", re.sub("['\u2019]", "", folded(surname))) or ["unnamed"]
    return wrap(" ".join(words), _LONGEST_AUTHOR)[0].replace(" ", "-")


def _letters(place: int) -> str:
    """Return the letters of an index from 0: a to z, then aa, ab and so on."""
    more, last = divmod(place, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)
