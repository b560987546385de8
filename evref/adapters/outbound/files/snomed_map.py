"""Files of a map of SNOMED CT: an ExtendedMap as RF2 distributes it, or a table of two columns."""

from __future__ import annotations

import csv
import gzip
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, partial
from io import TextIOWrapper
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from sys import intern
from typing import IO, BinaryIO, Literal, NamedTuple, cast

from evref.adapters.outbound.files.folders import opened, reason, shown_path
from evref.adapters.outbound.files.nodes import FileError
from evref.domain.catalogue.record_code import Classification, Edition, read_part
from evref.domain.catalogue.snomed import Groups, SnomedMap, branches
from evref.ports.catalogue import FileFault, InvalidCatalogueError, MapFile

# The UK edition states no rules: its rows are alternatives.
_ALWAYS = {"TRUE", "OTHERWISE TRUE", ""}
_NUMBER = "[0-9]{1,4}", "must be a whole number"
_CODE = "[1-9][0-9]{0,17}", "must be a code of SNOMED CT: 1 to 18 digits"
_COLUMNS = {
    "id": (".+", "must not be empty"),
    "effectiveTime": ("[0-9]{8}", "must be a date such as 20260701"),
    "active": ("[01]", "must be 0 or 1"),
    "refsetId": (".+", "must not be empty"),
    "referencedComponentId": _CODE,
    "mapGroup": _NUMBER,
    "mapPriority": _NUMBER,
    "mapRule": ("|IFA .+|(OTHERWISE )?TRUE", "must be TRUE, OTHERWISE TRUE, or begin with IFA"),
    # Other reference sets may map to other classifications.
    "mapTarget": (".*", "must be a code of ICD-10, such as M17.9"),
}
"""The columns of an ExtendedMap that are read, each with a regular expression and its form."""

_LONGEST_LINE = 64 * 1024
"""In characters; the rest of a longer line is read as another row, which is then faulty."""
# A map has 100 MB and several hundred thousand rows. A small compressed file could fill the memory.
_MOST_ROWS, _MOST_CHARACTERS = 5_000_000, 1024**3
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_MOST_NAMED = 10
_NO_ROWS = "has no active row of a map"

_UK = "999002271000000101"
_EDITION_OF = {"447562003": Edition.WHO, "6011000124106": Edition.CM, _UK: Edition.WHO}
"""The editions of the targets, by the reference set: of the International edition, of the US's, of
the UK's. The first of them that a file has is read.
"""

_NO_TARGET = {"", "#NC", "#HLT"}
"""In the UK edition: not classifiable, and too high a level to classify."""

# The UK edition writes codes without dots, with an X for a missing fourth character, and with D or
# A for dagger or asterisk.
_MARK_OF_UK = re.compile(r"(?<=^[A-Z][0-9]{2})X(?=[AD]?$)|(?<=[0-9X])[AD]$")


class _Row(NamedTuple):
    """A row of an ExtendedMap, in the order in which its branches are read."""

    code: int
    group: int
    priority: int
    always_applies: bool
    target: str
    line: int
    refset: str
    time: str
    is_active: bool


def read_snomed_map(path: Path, refset: str | None) -> MapFile:
    """Return the map in a file, which may be compressed with gzip or in a zip archive."""
    try:
        with opened(path) as file, _unpacked(file) as text:
            return _read(text, refset)
    except FileError as error:
        fault = FileFault(shown_path(path), error.line, error.message)
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        why = reason(error) if isinstance(error, (OSError, ValueError)) else str(error)
        fault = FileFault(shown_path(path), None, f"cannot be read: {why}")
    raise InvalidCatalogueError([fault], "the map")


def _unpacked(file: BinaryIO) -> TextIOWrapper:
    unpacked: IO[bytes] = file
    start = file.read(len(_ZIP))
    file.seek(0)
    if start == _ZIP:
        archive = zipfile.ZipFile(file)
        unpacked = archive.open(_member(archive))
    elif start.startswith(_GZIP):
        unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    # All texts that are read are ASCII, so wrong bytes are an error of their column.
    return TextIOWrapper(unpacked, "utf-8-sig", errors="replace", newline="")


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the only file of the archive, or the only snapshot of an ExtendedMap in it."""
    files = [member for member in archive.infolist() if not member.is_dir()]
    maps = [member for member in files if "ExtendedMap" in member.filename]
    snapshots = [member for member in maps if "Snapshot" in Path(member.filename).name]
    candidates = snapshots or maps or files
    if len(candidates) == 1:
        return candidates[0]
    named = ", ".join(repr(member.filename) for member in candidates[:_MOST_NAMED])
    raise FileError(None, f"has {len(files)} files; unpack it, and name one of them: {named}")


def _read(text: TextIOWrapper, refset: str | None) -> MapFile:
    lines = _lines(text)
    header = next(lines, "")
    delimiter = next((character for character in "\t;," if character in header), None)
    if "referencedcomponentid" in header.lower():
        return _extended_map(_rows(chain([header], lines), "\t", csv.QUOTE_NONE), refset)
    if delimiter is None or refset is not None:
        message = "must be an ExtendedMap of RF2 or, without --refset, a table of two columns"
        raise FileError(1, message)
    return MapFile(_table(_rows(chain([header], lines), delimiter, csv.QUOTE_MINIMAL)), {})


def _lines(text: TextIOWrapper) -> Iterator[str]:
    size = 0
    for number, line in enumerate(iter(partial(text.readline, _LONGEST_LINE), ""), start=1):
        size += len(line)
        if number > _MOST_ROWS or size > _MOST_CHARACTERS:
            raise FileError(number, f"must be within {_MOST_ROWS:,} rows and 1 GiB")
        yield line


def _rows(
    lines: Iterable[str], delimiter: str, quoting: Literal[0, 3]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, with their numbers, each as the texts of its cells."""
    rows = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield rows.line_num, cells
    except csv.Error as error:
        raise FileError(rows.line_num, f"is not a row of a table: {error}") from None


def _extended_map(rows: Iterator[tuple[int, list[str]]], refset: str | None) -> MapFile:
    active = _active_rows(rows)
    counts = Counter(row.refset for row in active)
    chosen = _chosen_refset(counts, refset)
    del counts[chosen]
    # Sorted, the rows of a code take less memory than in a dictionary by code.
    in_order = sorted(row for row in active if row.refset == chosen)
    known: dict[Groups, Groups] = {}
    groups_by_code: dict[int, Groups] = {}
    for code, of_code in groupby(in_order, attrgetter("code")):
        groups = tuple(
            branches((row.priority, row.always_applies, _target(row)) for row in of_group)
            for _, of_group in groupby(of_code, attrgetter("group"))
        )
        groups_by_code[code] = known.setdefault(groups, groups)
    return MapFile(SnomedMap(_EDITION_OF.get(chosen), groups_by_code), counts)


def _active_rows(rows: Iterator[tuple[int, list[str]]]) -> list[_Row]:
    """Return the active rows; of several with the same id, only the newest counts."""
    _, header = next(rows)
    names = [name.lower() for name in header]
    try:
        cells_of = itemgetter(*(names.index(name.lower()) for name in _COLUMNS))
    except ValueError:
        raise FileError(1, f"must have the columns {', '.join(_COLUMNS)}") from None
    forms = [(name, re.compile(form), message) for name, (form, message) in _COLUMNS.items()]
    newest: dict[str, _Row] = {}
    for line, cells in rows:
        if len(cells) != len(names):
            raise FileError(line, f"must have {len(names)} columns, has {len(cells)}")
        # Most texts are repeated, and one copy of each takes less memory.
        texts = [intern(text) for text in cells_of(cells)]
        for (name, form, message), text in zip(forms, texts, strict=True):
            if form.fullmatch(text) is None:
                raise FileError(line, f"{name} {message}")
        row_id, time, active, refset, code, *numbers, rule, target = texts
        if row_id not in newest or newest[row_id].time <= time:
            group, priority = map(int, numbers)
            branch = (int(code), group, priority, rule in _ALWAYS, target)
            newest[row_id] = _Row(*branch, line, refset, time, active == "1")
    return [row for row in newest.values() if row.is_active]


def _chosen_refset(counts: Counter[str], refset: str | None) -> str:
    """Return the reference set to read: the given one, a known one, or the only one."""
    if not counts:
        raise FileError(None, _NO_ROWS)
    known = [name for name in _EDITION_OF if name in counts]
    candidates = [refset] if refset is not None else known[:1] or [*counts]
    if len(candidates) == 1 and candidates[0] in counts:
        return candidates[0]
    named = ", ".join(sorted(counts)[:_MOST_NAMED])
    raise FileError(None, f"has the reference sets {named}; name one of them with --refset")


def _target(row: _Row) -> str:
    if row.target in _NO_TARGET:
        return ""
    # In the US edition, a question mark stands for the last character, the encounter.
    target = row.target.removesuffix("?")
    if row.refset == _UK:
        target = _MARK_OF_UK.sub("", target)
    if not _is_icd10(target):
        raise FileError(row.line, f"mapTarget {_COLUMNS['mapTarget'][1]}")
    return target


@cache
def _is_icd10(text: str) -> bool:
    codes = read_part(Classification.ICD_10, text)
    return all(code.read_as is not None for code in codes)


def _table(rows: Iterator[tuple[int, list[str]]]) -> SnomedMap:
    targets: dict[int, dict[str, None]] = defaultdict(dict)
    for line, cells in rows:
        if len(cells) != 2:  # noqa: PLR2004
            raise FileError(line, f"must have 2 columns, has {len(cells)}")
        code, target = cells
        is_code, is_target = re.fullmatch(_CODE[0], code), not target or _is_icd10(target)
        # Words in both columns of the first row are their names.
        if line == 1 and not (is_code or is_target):
            continue
        if not is_code:
            raise FileError(line, f"the first column {_CODE[1]}")
        if not is_target:
            raise FileError(line, f"the second column {_COLUMNS['mapTarget'][1]}")
        targets[int(code)][target] = None
    if not targets:
        raise FileError(None, _NO_ROWS)
    # Nothing says which of several codes applies, so they are branches.
    return SnomedMap(None, {code: (tuple(texts),) for code, texts in targets.items()})
