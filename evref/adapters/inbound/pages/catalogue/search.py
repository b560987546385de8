"""Search by the text of the search field: words, or codes as written in a patient's record."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter, Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.record_code import RecordCode, RecordIcd10Code, RecordIcd11Code
from evref.domain.errors import InvalidValueError

CLASSIFICATIONS = {"icd10": "ICD-10", "icd11": "ICD-11"}


@dataclass(frozen=True, slots=True)
class Found:
    """The entries in the catalogue's order, and the codes in the text if it has only codes."""

    entries: tuple[Entry, ...]
    codes: tuple[RecordCode, ...] = ()


def search(catalogue: Catalogue, text: str | None, module: Module | None) -> Found:
    """Return the entries that match all conditions; several codes match if any of them does."""
    codes = () if text is None else _codes(text)
    if text is not None and not codes:
        hits = catalogue.named(text, DiagnosisFilter(module=module)).hits
        return Found(tuple(catalogue.entry(hit.diagnosis_id) for hit in hits))
    if not codes:
        return Found(catalogue.find(DiagnosisFilter(module=module)))
    # One code at a time: a filter with codes of both classifications requires both.
    met = {
        entry.diagnosis.id
        for code in codes
        for entry in catalogue.find(DiagnosisFilter(codes=(code,), module=module))
    }
    entries = tuple(entry for entry in catalogue.entries if entry.diagnosis.id in met)
    return Found(entries, codes)


def _codes(text: str) -> tuple[RecordCode, ...]:
    """Return the codes in the text, if it has only codes."""
    found: list[RecordCode] = []
    for part in re.split(r"[\s,;]+", text.strip(" ,;")):
        code = _code(part)
        if code is None:
            return ()
        found.append(code)
    return tuple(found)


def _code(text: str) -> RecordCode | None:
    for kind in (RecordIcd10Code, RecordIcd11Code):
        try:
            return kind(text)
        except InvalidValueError:
            continue
    return None
