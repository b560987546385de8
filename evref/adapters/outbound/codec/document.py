"""The document of an entry: JSON data, as catalogue files and databases have it.

Its references are in a separate mapping, under keys that are local to the
document; interventions cite these keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from evref.adapters.outbound.codec import records
from evref.domain.catalogue import content
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.content import Record
from evref.domain.catalogue.evidence import Reference, ReferenceKind
from evref.domain.catalogue.intervention import Intervention
from evref.domain.errors import Fault, InvalidValueError, within
from evref.domain.rules import folded

_LONGEST_AUTHOR = 30
_LONGEST_INITIALS = 4
# Letters whose accent is not a combining character in Unicode.
_PLAIN_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"})

# Replaces an invalid reference, so that interventions that cite it are checked too.
_STAND_IN = Reference("-", "-", 2000, "-", ReferenceKind.GUIDELINE, None, "1", None)


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
            content.of_intervention(each, [keys[reference] for reference in each.references])
            for each in entry.interventions
        ],
        "references": {key: content.of_reference(reference) for reference, key in keys.items()},
    }


def from_document(document: object) -> Entry:
    """Return the entry in a document.

    Raises:
        InvalidValueError: If a field is missing or unknown, has a wrong type, or breaks a rule of
            the domain; has every fault with its path in the document.

    """
    faults = _Faults()
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
        raise InvalidValueError(faults)
    return Entry(diagnosis, tuple(interventions))


def _references(document: Record, faults: _Faults) -> dict[str, Reference]:
    """Return the references by key, with a placeholder for each invalid one."""
    references: dict[str, Reference] = {}
    with faults.at():
        for key, record in records.inner(document, "references").items():
            references[key] = _STAND_IN
            with faults.at("references", key):
                references[key] = records.to_reference(record)
    return references


def _interventions(
    document: Record, references: dict[str, Reference], faults: _Faults
) -> list[Intervention]:
    interventions: list[Intervention] = []
    citations: list[list[str]] = []
    found: list[object] = []
    references_are_known = isinstance(document.get("references"), dict)
    with faults.at():
        found = records.items(document, "interventions")
    for place, record in enumerate(found):
        cited = [_STAND_IN]
        with faults.at("interventions", place):
            keys = records.texts(record, "references")
            citations.append(keys)
            cited = [references[key] for key in keys if key in references] or cited[: len(keys)]
            if references_are_known:
                _refuse_undefined(keys, references)
        with faults.at("interventions", place):
            interventions.append(records.to_intervention(record, str(document.get("id")), cited))
    if references_are_known and len(citations) == len(found):
        for key in references.keys() - set(chain.from_iterable(citations)):
            faults.append(
                Fault(key, "is not cited by any intervention, remove it", ("references",))
            )
    return interventions


def _refuse_undefined(keys: list[str], references: dict[str, Reference]) -> None:
    undefined = [key for key in keys if key not in references]
    if undefined:
        defined = ", ".join(references) or "none"
        raise InvalidValueError(
            [
                Fault("references", f"{key} is not defined; the references are {defined}")
                for key in undefined
            ]
        )


class _Faults(list[Fault]):
    """The faults of the parts of a document."""

    def at(self, *path: str | int) -> _Collecting:
        """Collect the faults of the part at this path instead of raising them."""
        return _Collecting(self, path)


class _Collecting:
    # A class, because contextmanager takes several times as long, for 50,000 parts.
    def __init__(self, faults: _Faults, path: tuple[str | int, ...]) -> None:
        self._faults, self._path = faults, path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, InvalidValueError):
            self._faults += within(error, *self._path).faults
            return True
        return False


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
