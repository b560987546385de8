"""Entries of the catalogue as documents, the form in which they are stored.

Each document is stored with the number of its format. A document of an older format is converted
step by step to the current one before it is read, so stored documents always stay readable.
"""

import json
import zlib
from collections.abc import Callable
from datetime import date
from typing import Any

from evref.adapters.outbound.codec import from_document, to_document
from evref.domain.catalogue.catalogue import Entry

FORMAT = 3
"""The number of the current format.

Format 1 had neither `checked_on` nor `direction`. Format 3 only adds optional fields to format 2.
"""


def write(entry: Entry) -> bytes:
    """Return the document of an entry, in the format with the number `FORMAT`."""
    text = json.dumps(to_document(entry), ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode())


def read(content: bytes, number: int, published_on: date) -> Entry:
    """Return the entry in a document that this or an earlier version of evref wrote.

    `number` is the number of its format, and `published_on` the day on which it
    was first published.

    Raises:
        ValueError: If the document is not JSON, has an unknown format, breaks a rule of the
            domain, or has a field that is missing, unknown or of the wrong type.

    """
    if number != FORMAT and number not in _UPCASTERS:
        raise ValueError(f"format {number} is not known to this version of evref")
    try:
        found = json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(f"is not compressed: {error}") from error
    for earlier in range(number, FORMAT):
        try:
            found = _UPCASTERS[earlier](found, published_on)
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"is no document of format {earlier}: {error!r}") from error
    return from_document(found)


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

_UPCASTERS: dict[int, Callable[[Any, date], Any]] = {
    1: _from_1_to_2,
    2: lambda document, _: document,
}
"""The conversion from each format, by its number, to the next one."""
