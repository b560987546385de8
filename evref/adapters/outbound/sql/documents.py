"""Entries of the catalogue as documents, the form in which they are stored.

Each is stored with the number of its format. A document of an earlier format is brought to the
next one, step by step, before it is read: so what is stored stays readable, whatever is added.
"""

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from evref.domain.catalogue import records
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.document import FORMAT, from_document, to_document
from evref.domain.catalogue.intervention import Intervention
from evref.domain.errors import StorageUnavailableError

_MOST_READ = 64
"""So many entries' interventions are held as they are, of those that were read last."""


@dataclass(frozen=True, slots=True)
class Document:
    """An entry as it is stored.

    `content` is the whole as JSON, compressed. `version` and `diagnosis`, a record as JSON, are
    what lists of all diagnoses need; formats before 2 were stored without.
    """

    format: int
    version: str | None
    diagnosis: str | None
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal, of all but the format, which the content tells."""
        beside = f"{self.version or ''}{self.diagnosis or ''}"
        return hashlib.sha256(self.content + beside.encode()).hexdigest()


class StoredEntry(Entry):
    """An entry whose interventions are read when they are asked for, and not held for long.

    A catalogue of thousands is so loaded in a second, and takes a quarter of the memory.
    """

    def __init__(self, diagnosis: str, version: str, content: bytes) -> None:
        # Past the constructor of an entry, which wants interventions: they were judged by it
        # before they were stored. An entry is frozen, and works its version out only once.
        self.__dict__.update(
            diagnosis=records.to_diagnosis(json.loads(diagnosis)),
            version=version,
            content=content,
        )

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """Those of the document.

        Raises:
            StorageUnavailableError: If they break a rule that they did not break when stored.

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
    """The document of an entry, in the format with the number `FORMAT`."""
    return Document(
        format=FORMAT,
        version=entry.version,
        diagnosis=_json(records.of_diagnosis(entry.diagnosis)),
        content=zlib.compress(_json(to_document(entry)).encode()),
    )


def read(document: Document, published_on: date) -> Entry:
    """The entry in a document that this or an earlier version of evref wrote.

    `published_on` is the day on which the document was first published.

    Raises:
        ValueError: If it is no such document: not JSON, of an unknown format, with a field
            missing, unknown or of another type, or a rule of the domain broken.

    """
    if document.format == FORMAT and document.diagnosis and document.version:
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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _decompressed(content: bytes) -> Any:  # noqa: ANN401 - as JSON has it
    try:
        return json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(f"is not compressed: {error}") from error


def _from_1_to_2(document: Any, published_on: date) -> Any:  # noqa: ANN401 - as JSON has it
    """References in a mapping of their own; `checked_on`, and a direction for each intervention.

    Nobody noted when an entry was checked. The day of its publication is the best that is known:
    it was then held against its sources, if not only then. Where no recommendation is stated,
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
            # Format 1 allowed to cite a reference twice.
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

_UPCASTERS: dict[int, Callable[[Any, date], Any]] = {1: _from_1_to_2}
"""By the number of a format: how a document becomes one of the next."""
