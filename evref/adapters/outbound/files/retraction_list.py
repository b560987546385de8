"""The list of Retraction Watch, a CSV file that Crossref publishes."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from evref.adapters.outbound.files.folders import opened, reason, shown_path
from evref.adapters.outbound.files.nodes import FileError
from evref.domain.catalogue.advice import Retraction
from evref.ports.catalogue import FileFault, InvalidCatalogueError

_COLUMNS = ("OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "RetractionDate")
_LARGEST = 256 * 1024 * 1024
"""In bytes; the list had 65 MB in 2026."""

_PMID = re.compile("[1-9][0-9]{0,8}")
_RESOLVER = re.compile(r"(https?://(dx\.)?doi\.org/|doi: *)", re.IGNORECASE)


def read_retractions(path: Path) -> tuple[Retraction, ...]:
    """Return the notices of a list.

    Raises:
        InvalidCatalogueError: If the file cannot be read or lacks a column.

    """
    try:
        # The list has texts in other encodings, but not in these columns.
        with TextIOWrapper(opened(path), "utf-8-sig", errors="replace", newline="") as file:
            return tuple(_rows(path, file))
    except FileError as error:
        raise _invalid(path, error.message) from error
    except (OSError, ValueError) as error:
        raise _invalid(path, f"cannot be read: {reason(error)}") from error
    except csv.Error as error:
        raise _invalid(path, f"is not CSV: {error}") from error


def _rows(path: Path, file: TextIOWrapper) -> Iterator[Retraction]:
    if os.fstat(file.fileno()).st_size > _LARGEST:
        raise _invalid(path, f"must have at most {_LARGEST:,} bytes (256 MiB)")
    rows = csv.DictReader(file)
    missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise _invalid(path, f"has no column {', '.join(missing)}")
    for row in rows:
        doi, pmid, nature, date = ((row[name] or "").strip() for name in _COLUMNS)
        doi = _RESOLVER.sub("", doi)
        # The list has “unavailable” and 0 for what is unknown.
        yield Retraction(
            doi if doi.startswith("10.") else None,
            pmid if _PMID.fullmatch(pmid) else None,
            nature,
            _iso(date),
        )


def _iso(date: str) -> str:
    """Return a date such as 9/30/2021 0:00 as 2021-09-30, and any other text unchanged."""
    match = re.match(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b", date)
    return f"{match[3]}-{int(match[1]):02}-{int(match[2]):02}" if match else date


def _invalid(path: Path, message: str) -> InvalidCatalogueError:
    return InvalidCatalogueError([FileFault(shown_path(path), None, message)], "the list")
