"""Files of a map of SNOMED CT: an ExtendedMap as RF2 distributes it, or a table of two columns."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from evref.adapters.outbound.files.folders import opened, reason, shown_path
from evref.adapters.outbound.files.nodes import FileError
from evref.domain.catalogue.record_code import Classification, Edition, read_part
from evref.domain.catalogue.snomed import Groups, Rule, SnomedMap, branches
from evref.ports.catalogue import FileFault, InvalidCatalogueError

_COLUMNS = ("id", "effectiveTime", "active", "refsetId", "referencedComponentId")
_COLUMNS_OF_MAP = (*_COLUMNS, "mapGroup", "mapPriority", "mapRule", "mapTarget")
_CODE = re.compile("[1-9][0-9]{0,17}")
_LONGEST_LINE = 64 * 1024
# A map has 100 MB and several hundred thousand rows. A small compressed file could fill the memory.
_MOST_BYTES = 1024**3
_MOST_ROWS = 5_000_000
_MOST_FAULTS = 100
_GZIP = b"\x1f\x8b"

_INTERNATIONAL = "447562003"
_EDITION_OF = {_INTERNATIONAL: Edition.WHO, "6011000124106": Edition.CM}
"""The editions of the targets, by the reference set: of the International edition, of the US's."""


class _Row(NamedTuple):
    """A row of an ExtendedMap; only its id, time and state are checked."""

    time: str
    is_active: bool
    line: int
    refset: str
    code: str
    group: str
    priority: str
    rule: str
    target: str


class _Target(NamedTuple):
    """What an active row of an ExtendedMap says."""

    code: int
    group: int
    priority: int
    rule: Rule
    text: str


class _RowError(Exception):
    """Indicates a row that cannot be read; the text says why."""


def read_snomed_map(path: Path) -> SnomedMap:
    """Return the map in a file, which may be compressed with gzip.

    Raises:
        InvalidCatalogueError: If the file or a row cannot be read; it has the first 100 such rows.

    """
    try:
        with ExitStack() as closing:
            file: BinaryIO = closing.enter_context(opened(path))
            is_compressed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if is_compressed:
                file = cast("BinaryIO", closing.enter_context(gzip.GzipFile(fileobj=file)))
            return _Reader(shown_path(path)).read(_lines(file))
    except FileError as error:
        fault = FileFault(shown_path(path), error.line, error.message)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        why = reason(error) if isinstance(error, (OSError, ValueError)) else str(error)
        fault = FileFault(shown_path(path), None, f"cannot be read: {why}")
    raise InvalidCatalogueError([fault], "the map")


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    number = size = 0
    while data := file.readline(_LONGEST_LINE + 1):
        number += 1
        size += len(data)
        if size > _MOST_BYTES:
            raise FileError(number, f"must be in the first {_MOST_BYTES // 1024**2:,} MiB")
        if number > _MOST_ROWS:
            raise FileError(number, f"must be one of at most {_MOST_ROWS:,} rows")
        if len(data) > _LONGEST_LINE:
            raise FileError(number, f"must have at most {_LONGEST_LINE:,} bytes")
        try:
            text = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            message = f"must be UTF-8, has the byte 0x{data[error.start]:02X}"
            raise FileError(number, message) from None
        if text.strip():
            yield number, text


class _Reader:
    def __init__(self, name: str) -> None:
        self._name = name
        self._faults: list[FileFault] = []
        self._is_code: dict[str, bool] = {}

    def read(self, lines: Iterator[tuple[int, str]]) -> SnomedMap:
        first = next(lines, None)
        if first is None:
            raise FileError(None, "is empty")
        number, header = first
        names = header.split("\t")
        if "referencedComponentId" in names:
            read = self._extended_map(names, lines)
        else:
            read = self._table(number, header, lines)
        if self._faults:
            raise InvalidCatalogueError(self._faults, "the map")
        if not read.codes:
            raise FileError(None, "has no active row of a map")
        return read

    def _refuse(self, line: int, message: str) -> None:
        self._faults.append(FileFault(self._name, line, message))
        if len(self._faults) == _MOST_FAULTS:
            raise InvalidCatalogueError(self._faults, "the map")

    def _extended_map(self, names: Sequence[str], lines: Iterator[tuple[int, str]]) -> SnomedMap:
        missing = [name for name in _COLUMNS_OF_MAP if name not in names]
        if missing:
            message = f"has no column {', '.join(missing)}: it is not an ExtendedMap of RF2"
            raise FileError(1, message)
        rows = self._newest(names, lines)
        refsets = {row.refset for row in rows}
        refset = _INTERNATIONAL if _INTERNATIONAL in refsets else min(refsets, default="")
        if refset != _INTERNATIONAL and len(refsets) > 1:
            message = f"has the maps of {len(refsets)} reference sets; give a file with only one"
            raise FileError(None, message)
        # Sorted, the rows of a code take less memory than in a dictionary by code.
        targets = []
        for row in rows:
            if row.refset == refset:
                try:
                    targets.append(self._target(row))
                except _RowError as error:
                    self._refuse(row.line, str(error))
        targets.sort()
        known: dict[Groups, Groups] = {}
        groups_by_code: dict[int, Groups] = {}
        for code, of_code in groupby(targets, attrgetter("code")):
            groups = tuple(
                branches((target.priority, target.rule, target.text) for target in of_group)
                for _, of_group in groupby(of_code, attrgetter("group"))
            )
            groups_by_code[code] = known.setdefault(groups, groups)
        return SnomedMap.of(_EDITION_OF.get(refset), groups_by_code)

    def _newest(self, names: Sequence[str], lines: Iterator[tuple[int, str]]) -> list[_Row]:
        """Return the active rows; of several with the same id, only the newest counts."""
        places = [names.index(name) for name in _COLUMNS_OF_MAP]
        texts: dict[str, str] = {}
        newest: dict[str, _Row] = {}
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) != len(names):
                self._refuse(number, f"must have {len(names)} columns, has {len(cells)}")
                continue
            row_id, time, active, *others = (cells[place].strip() for place in places)
            if not row_id:
                self._refuse(number, "id must not be empty")
            elif re.fullmatch("[0-9]{8}", time) is None:
                self._refuse(number, "effectiveTime must be a date such as 20260701")
            elif active not in {"0", "1"}:
                self._refuse(number, "active must be 0 or 1")
            elif row_id not in newest or newest[row_id].time <= time:
                # Most texts are repeated, and one copy of each takes less memory.
                others = [texts.setdefault(text, text) for text in others]
                time = texts.setdefault(time, time)
                newest[row_id] = _Row(time, active == "1", number, *others)
        return [row for row in newest.values() if row.is_active]

    def _target(self, row: _Row) -> _Target:
        self._require_code("referencedComponentId", row.code)
        for name, text in (("mapGroup", row.group), ("mapPriority", row.priority)):
            if re.fullmatch("[0-9]{1,4}", text) is None:
                raise _RowError(f"{name} must be a whole number")
        rule = Rule.of(row.rule)
        if rule is None:
            raise _RowError("mapRule must be TRUE, OTHERWISE TRUE, or begin with IFA")
        # In the US edition, a question mark stands for the last character, the encounter.
        target = row.target.removesuffix("?")
        if row.target:
            self._require_target("mapTarget", target)
        return _Target(int(row.code), int(row.group), int(row.priority), rule, target)

    def _require_code(self, name: str, text: str) -> None:
        if _CODE.fullmatch(text) is None:
            raise _RowError(f"{name} must be a code of SNOMED CT: 1 to 18 digits")

    def _require_target(self, name: str, text: str) -> None:
        if text not in self._is_code:
            codes = read_part(Classification.ICD_10, text)
            self._is_code[text] = all(code.read_as is not None for code in codes)
        if not self._is_code[text]:
            raise _RowError(f"{name} must be a code of ICD-10, such as M17.9")

    def _table(self, number: int, header: str, lines: Iterator[tuple[int, str]]) -> SnomedMap:
        delimiter = next((character for character in "\t;," if character in header), None)
        if delimiter is None:
            raise FileError(number, "must be an ExtendedMap of RF2, or a table of two columns")
        targets: dict[int, dict[str, None]] = defaultdict(dict)
        names = [cell.strip(' "') for cell in header.split(delimiter)]
        kinds = (Classification.SNOMED_CT, Classification.ICD_10)
        # Words in both columns are the names of the columns.
        if any(
            read_part(kind, name)[0].read_as is not None
            for kind, name in zip(kinds, names, strict=False)
        ):
            self._add(number, header, delimiter, targets)
        for line, text in lines:
            self._add(line, text, delimiter, targets)
        # Nothing says which of several codes applies, so they are branches.
        return SnomedMap.of(None, {code: (tuple(texts),) for code, texts in targets.items()})

    def _add(
        self, line: int, text: str, delimiter: str, targets: dict[int, dict[str, None]]
    ) -> None:
        try:
            code, target = self._cells(text, delimiter)
            self._require_code("the first column", code)
            self._require_target("the second column", target)
        except _RowError as error:
            self._refuse(line, str(error))
        else:
            targets[int(code)][target] = None

    def _cells(self, text: str, delimiter: str) -> list[str]:
        try:
            (cells,) = csv.reader([text], delimiter=delimiter, strict=True)
        except (csv.Error, ValueError):
            raise _RowError("is not a row of a table") from None
        if len(cells) != 2:  # noqa: PLR2004
            raise _RowError(f"must have 2 columns, has {len(cells)}")
        return [cell.strip() for cell in cells]
