"""The document of an entry: JSON data, as catalogue files and databases have it.

Its references are in a separate mapping, under keys that are local to the
document; interventions cite these keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import chain

from evref.adapters.outbound.codec import records
from evref.adapters.outbound.codec.records import Faults
from evref.domain.catalogue import content
from evref.domain.catalogue.content import Record
from evref.domain.catalogue.entry import Entry, mainstay_faults
from evref.domain.catalogue.evidence import Reference, ReferenceKind
from evref.domain.catalogue.intervention import Intervention
from evref.domain.errors import Fault, InvalidValueError
from evref.domain.rules import folded

_LONGEST_AUTHOR = 30
_LONGEST_INITIALS = 4
# Letters whose accent is not a combining character in Unicode.
_PLAIN_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"})


def to_document(entry: Entry) -> Record:
    """Return the document of an entry.

    The key of a reference is its first author and year, with a letter if two would be the same:
    `kolasinski-2020`, `nice-2022a`. References are in the order in which they are first cited.
    """
    keys = _keys(
        reference for intervention in entry.interventions for reference in intervention.references
    )
    return {
        **content.of_diagnosis(entry.diagnosis),
        "interventions": [
            _of_intervention(each, [keys[reference] for reference in each.references])
            for each in entry.interventions
        ],
        "references": {key: content.of_reference(reference) for reference, key in keys.items()},
    }


def _of_intervention(intervention: Intervention, keys: list[str]) -> Record:
    record = content.of_intervention(intervention, keys)
    for effect in record.get("effects", ()):
        effect["reference"] = keys[effect["reference"]]
    return record


def from_document(document: object) -> Entry:
    """Return the entry in a document.

    Raises:
        InvalidValueError: If a field is missing or unknown, has a wrong type, or breaks a rule of
            the domain; has every fault with its path in the document.

    """
    faults = Faults()
    with faults.at():
        records.checked(
            document,
            (*records.DIAGNOSIS, "interventions", "references"),
            records.OPTIONAL_OF_DIAGNOSIS,
        )
    if not isinstance(document, dict):
        raise InvalidValueError(faults)
    diagnosis = None
    with faults.at():
        diagnosis = records.to_diagnosis(document)
    references = _references(document, faults)
    interventions = _interventions(document, references, faults)
    if faults or diagnosis is None:
        faults += _mainstay_faults(document)
        raise InvalidValueError(faults)
    return Entry(diagnosis, tuple(interventions))


def _mainstay_faults(document: Record) -> list[Fault]:
    """Return the errors of mainstays in a document that has other errors."""
    with suppress(InvalidValueError):
        found = records.items(document, "interventions")
        return mainstay_faults(
            records.texts(document, "mainstays"),
            records.texts(document, "enabled_modules"),
            {
                str(record.get("id")): (
                    _text_or_none(record, "module"),
                    _text_or_none(record.get("evidence"), "recommendation"),
                )
                for record in found
                if isinstance(record, dict)
            },
        )
    return []


def _text_or_none(record: object, name: str) -> str | None:
    text = record.get(name) if isinstance(record, dict) else None
    return text if isinstance(text, str) else None


def _references(document: Record, faults: Faults) -> dict[str, Reference | None]:
    """Return the references by key, None for each invalid one."""
    references: dict[str, Reference | None] = {}
    with faults.at():
        for key, record in records.inner(document, "references").items():
            references[key] = None
            with faults.at("references", key):
                references[key] = records.to_reference(record)
    return references


def _interventions(
    document: Record, references: dict[str, Reference | None], faults: Faults
) -> list[Intervention]:
    interventions: list[Intervention] = []
    citations: list[list[str]] = []
    found: list[object] = []
    references_are_known = isinstance(document.get("references"), dict)
    with faults.at():
        found = records.items(document, "interventions")
    for place, record in enumerate(found):
        keys: list[str] = []
        cited = [_stand_in(0)]
        with faults.at("interventions", place):
            keys = records.texts(record, "references")
            citations.append(keys)
            cited = [references.get(key) or _stand_in(at) for at, key in enumerate(keys)]
            if references_are_known:
                _refuse_undefined(keys, references)
        with faults.at("interventions", place):
            interventions.append(
                records.to_intervention(record, str(document.get("id")), cited, keys)
            )
    if references_are_known and len(citations) == len(found):
        for key in references.keys() - set(chain.from_iterable(citations)):
            faults.append(
                Fault(key, "is not cited by any intervention, remove it", ("references",))
            )
    return interventions


def _stand_in(place: int) -> Reference:
    """Return what stands in for an invalid or undefined reference, unlike that of other places.

    So the intervention that cites it is checked too.
    """
    return Reference("-", "-", 2000, "-", ReferenceKind.GUIDELINE, None, str(place + 1), None)


def _refuse_undefined(keys: list[str], references: Collection[str]) -> None:
    undefined = [(place, key) for place, key in enumerate(keys) if key not in references]
    if undefined:
        defined = ", ".join(references) or "none"
        raise InvalidValueError(
            [
                Fault(
                    "references",
                    f"{key} is not defined; the references are {defined}",
                    item=place,
                )
                for place, key in undefined
            ]
        )


def _keys(cited: Iterable[Reference]) -> dict[Reference, str]:
    """Return a key for each reference, in the given order."""
    stems = {each: f"{_author(each.authors)}-{each.year}" for each in cited}
    times = Counter(stems.values())
    before: Counter[str] = Counter()
    keys = {}
    for each, stem in stems.items():
        keys[each] = stem + (_letters(before[stem]) if times[stem] > 1 else "")
        before[stem] += 1
    return keys


def _author(authors: str) -> str:
    """Return the first author's surname, or the start of an organisation's name, as a slug.

    >>> _author("Martin Ginis KA, van der Scheer JW")
    'martin-ginis'
    """
    words = authors.partition(",")[0].split()
    if len(words) > 1 and len(words[-1]) <= _LONGEST_INITIALS and words[-1].isupper():
        words.pop()
    name = folded(" ".join(words)).translate(_PLAIN_LETTERS)
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
