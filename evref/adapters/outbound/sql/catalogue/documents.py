"""Entries of the catalogue as documents, the form in which they are stored.

Each document is stored with the number of its format. A document of an older format is converted
step by step to the current one before it is read, so stored documents always stay readable.
"""

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Any

from evref.adapters.outbound.codec import from_document, records, to_document
from evref.domain.catalogue import content
from evref.domain.catalogue.catalogue import Entry, Grading, Outline
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import Intervention
from evref.domain.errors import StorageUnavailableError

FORMAT = 3
"""The number of the present format.

Format 1 had neither `checked_on` nor `direction`. Format 3 only adds optional fields to format 2.
"""

_MOST_READ = 64
"""Number of entries whose interventions are cached, least recently used first out."""


@dataclass(frozen=True, slots=True)
class Document:
    """An entry in its stored form.

    `content` is the whole entry as compressed JSON. `version` and `diagnosis` are for lists of all
    diagnoses; formats before 2 lack them. `diagnosis` is a record as JSON, with the outline of the
    entry, which the first documents of format 2 lack.
    """

    format: int
    version: str | None
    diagnosis: str | None
    content: bytes

    @property
    def digest(self) -> str:
        """Return the SHA-256 in hexadecimal of all but the format, which the content implies."""
        beside = f"{self.version or ''}{self.diagnosis or ''}"
        return hashlib.sha256(self.content + beside.encode()).hexdigest()


class StoredEntry(Entry):
    """An entry that reads its interventions on access, and caches them only for a short time.

    A catalogue of thousands of entries then loads in a second, with a quarter of the memory.
    """

    def __init__(self, diagnosis: str, version: str, content: bytes) -> None:
        record = json.loads(diagnosis)
        # Bypasses the constructor of Entry, which needs the interventions: it validated them
        # before they were stored. The class is frozen, and caches its version in __dict__.
        self.__dict__.update(
            diagnosis=records.to_diagnosis(record), version=version, content=content
        )
        if "outline" in record:
            self.__dict__["outline"] = _to_outline(record["outline"])

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """Return the interventions in the document.

        Raises:
            StorageUnavailableError: If they break a rule of the domain.

        """
        return _interventions(self.__dict__["content"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entry):
            return NotImplemented
        if isinstance(other, StoredEntry) and self.__dict__["content"] == other.__dict__["content"]:
            return True
        return self.diagnosis == other.diagnosis and self.interventions == other.interventions

    def __hash__(self) -> int:
        return hash(self.diagnosis)


def write(entry: Entry) -> Document:
    """Return the document of an entry, in the format with the number `FORMAT`."""
    return Document(
        format=FORMAT,
        version=entry.version,
        diagnosis=_json(
            {**content.of_diagnosis(entry.diagnosis), "outline": _of_outline(entry.outline)}
        ),
        content=zlib.compress(_json(to_document(entry)).encode()),
    )


def read(document: Document, published_on: date) -> Entry:
    """Return the entry in a document that this or an earlier version of evref wrote.

    `published_on` is the day on which the document was first published.

    Raises:
        ValueError: If the document is not JSON, has an unknown format, breaks a rule of the
            domain, or has a field that is missing, unknown or of the wrong type.

    """
    if document.format in _READ_AS_STORED and document.diagnosis and document.version:
        return StoredEntry(document.diagnosis, document.version, document.content)
    if document.format not in _UPCASTERS:
        raise ValueError(f"format {document.format} is not known to this version of evref")
    found = _decompressed(document.content)
    for number in range(document.format, FORMAT):
        try:
            found = _UPCASTERS[number](found, published_on)
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"is no document of format {number}: {error!r}") from error
    return from_document(found)


@lru_cache(_MOST_READ)
def _interventions(content: bytes) -> tuple[Intervention, ...]:
    try:
        return from_document(_decompressed(content)).interventions
    except ValueError as error:
        raise StorageUnavailableError(f"the stored catalogue is damaged: {error}") from error


def _of_outline(outline: Outline) -> content.Record:
    return {
        "gradings": [
            f"{grading.module} {grading.evidence.certainty} {grading.evidence.recommendation} "
            f"{grading.evidence.direction}"
            for grading in outline.gradings
        ],
        "works": outline.works.hex(),
    }


def _to_outline(record: Any) -> Outline:  # noqa: ANN401 - as JSON has it
    gradings = tuple(map(_to_grading, records.texts(record, "gradings")))
    return Outline(gradings, bytes.fromhex(record["works"]))


# Cached because a catalogue has many thousands, of at most a few hundred kinds.
@cache
def _to_grading(text: str) -> Grading:
    module, certainty, recommendation, direction = text.split()
    return Grading(
        Module(module),
        Evidence(Certainty(certainty), Recommendation(recommendation), Direction(direction), None),
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _decompressed(content: bytes) -> Any:  # noqa: ANN401 - as JSON has it
    try:
        return json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(f"is not compressed: {error}") from error


def _from_1_to_2(document: Any, published_on: date) -> Any:  # noqa: ANN401 - as JSON has it
    """Move references to a mapping; add `checked_on`, and a direction to each intervention.

    Format 1 does not record when an entry was checked. The day of its publication is the best
    approximation: it was checked against its sources by then. Without a stated recommendation,
    the direction is unclear.
    """
    diagnosis = document["diagnosis"]
    references: dict[str, Any] = {}
    keys: dict[str, str] = {}

    def key_of(reference: dict[str, Any]) -> str:
        key = keys.setdefault(json.dumps(reference, sort_keys=True), f"r{len(keys) + 1}")
        references[key] = {name: value for name, value in reference.items() if value is not None}
        return key

    interventions = [
        {
            "id": each["id"],
            "module": each["module"],
            "phase": each["phase"],
            "title": each["title"],
            "summary": each["summary"],
            **({} if each["fitt_vp"] is None else {"fitt_vp": each["fitt_vp"]}),
            "evidence": {
                **each["evidence"],
                "direction": _DIRECTIONS_OF_1.get(each["evidence"]["recommendation"], "unclear"),
            },
            # In format 1, a reference could be cited twice.
            "references": list(dict.fromkeys(key_of(cited) for cited in each["references"])),
        }
        for each in document["interventions"]
    ]
    return {
        "id": diagnosis["id"],
        "name": diagnosis["name"],
        "icd10": diagnosis["icd10_codes"],
        "icd11": diagnosis["icd11_codes"],
        "enabled_modules": diagnosis["enabled_modules"],
        "checked_on": published_on.isoformat(),
        "interventions": interventions,
        "references": references,
    }


_DIRECTIONS_OF_1 = {
    "strong_for": "for",
    "conditional_for": "for",
    "conditional_against": "against",
    "strong_against": "against",
}

_READ_AS_STORED = (2, FORMAT)

_UPCASTERS: dict[int, Callable[[Any, date], Any]] = {
    1: _from_1_to_2,
    2: lambda document, _: document,
}
"""The conversion from each format, by its number, to the next one."""
