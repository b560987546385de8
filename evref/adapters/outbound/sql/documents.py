"""Entries of the catalogue as JSON documents, the form in which they are stored.

Each is stored with the number of its format. A document of an earlier format is brought to the
next one, step by step, before it is read: so what is stored stays readable, whatever is added.
"""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

from evref.domain.catalogue import Entry
from evref.domain.document import FORMAT, from_document, to_document

__all__ = ["FORMAT", "read", "write"]


def write(entry: Entry) -> str:
    """The entry as compact JSON, in the format with the number `FORMAT`."""
    return json.dumps(to_document(entry), ensure_ascii=False, separators=(",", ":"))


def read(text: str, written_in: int, published_on: date) -> Entry:
    """The entry in a document that `write` wrote, in this or an earlier version of evref.

    `published_on` is the day on which the document was first published.

    Raises:
        ValueError: when it is no such document: not JSON, of an unknown format, with a field
            missing, unknown or of another type, or a rule of the domain broken.

    """
    document = json.loads(text)
    if written_in != FORMAT and written_in not in _UPCASTERS:
        raise ValueError(f"format {written_in} is not known to this version of evref")
    for number in range(written_in, FORMAT):
        try:
            document = _UPCASTERS[number](document, published_on)
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"is no document of format {number}: {error!r}") from error
    return from_document(document)


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
