"""Files of a map of SNOMED CT: an ExtendedMap as RF2 distributes it, or a table of two columns."""

from __future__ import annotations

import csv
import gzip
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, NamedTuple, cast

from evref.adapters.outbound.files.folders import opened, reason, shown_path
from evref.adapters.outbound.files.nodes import FileError
from evref.domain.catalogue.record_code import Classification, Edition, read_part
from evref.domain.catalogue.snomed import Groups, Rule, SnomedMap, branches
from evref.ports.catalogue import FileFault, InvalidCatalogueError, MapFile

_COLUMNS = ("id", "effectiveTime", "active", "refsetId", "referencedComponentId")
_COLUMNS_OF_MAP = (*_COLUMNS, "mapGroup", "mapPriority", "mapRule", "mapTarget")
_CODE = re.compile("[1-9][0-9]{0,17}")
_LONGEST_LINE = 64 * 1024
# A map has 100 MB and several hundred thousand rows. A small compressed file could fill the memory.
_MOST_BYTES = 1024**3
_MOST_ROWS = 5_000_000
_MOST_FAULTS = 100
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_MOST_NAMED = 10

_UK = "999002271000000101"
_EDITION_OF = {"447562003": Edition.WHO, "6011000124106": Edition.CM, _UK: Edition.WHO}
"""The editions of the targets, by the reference set: of the International edition, of the US's, of
the UK's. The first of them that a file has is read.
"""

_NO_TARGET_OF_UK = {"#NC", "#HLT"}
"""Not classifiable, and too high a level to classify."""

# The UK edition writes codes without dots, with an X for a missing fourth character, and with D or
# A for dagger or asterisk.
_MARK_OF_UK = re.compile(r"(?<=^[A-Z][0-9]{2})X(?=[AD]?$)|(?<=[0-9X])[AD]$")


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


def read_snomed_map(path: Path, refset: str | None) -> MapFile:
    """Return the map in a file, which may be compressed with gzip or in a zip archive."""
    try:
        with ExitStack() as closing:
            file = closing.enter_context(opened(path))
            start = file.read(len(_ZIP))
            file.seek(0)
            unpacked: IO[bytes] = file
            if start == _ZIP:
                archive = closing.enter_context(zipfile.ZipFile(file))
                unpacked = closing.enter_context(archive.open(_member(archive)))
            elif start.startswith(_GZIP):
                unpacked = cast("IO[bytes]", closing.enter_context(gzip.GzipFile(fileobj=file)))
            return _Reader(shown_path(path), refset).read(_lines(unpacked))
    except FileError as error:
        fault = FileFault(shown_path(path), error.line, error.message)
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        why = reason(error) if isinstance(error, (OSError, ValueError)) else str(error)
        fault = FileFault(shown_path(path), None, f"cannot be read: {why}")
    raise InvalidCatalogueError([fault], "the map")


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the only file of the archive, or the only snapshot of an ExtendedMap in it."""
    files = [member for member in archive.infolist() if not member.is_dir()]
    if len(files) == 1:
        return files[0]
    maps = [member for member in files if "ExtendedMap" in member.filename]
    snapshots = [member for member in maps if "Snapshot" in Path(member.filename).name]
    if len(snapshots) == 1:
        return snapshots[0]
    named = [repr(member.filename) for member in snapshots or maps or files]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    raise FileError(
        None,
        f"has {len(files)} files; unpack it, and name one of them: "
        f"{', '.join(named[:_MOST_NAMED])}{more}",
    )


def _lines(file: IO[bytes]) -> Iterator[tuple[int, str]]:
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
    def __init__(self, name: str, refset: str | None) -> None:
        self._name = name
        self._refset = refset
        self._left_out: Counter[str] = Counter()
        self._faults: list[FileFault] = []
        self._is_code: dict[str, bool] = {}

    def read(self, lines: Iterator[tuple[int, str]]) -> MapFile:
        first = next(lines, None)
        if first is None:
            raise FileError(None, "is empty")
        number, header = first
        names = [name.strip().lower() for name in header.split("\t")]
        if "referencedcomponentid" in names:
            read = self._extended_map(names, lines)
        elif self._refset is not None:
            raise FileError(number, "is not an ExtendedMap of RF2, so it has no reference set")
        else:
            read = self._table(number, header, lines)
        if self._faults:
            raise InvalidCatalogueError(self._faults, "the map")
        if not read.groups:
            raise FileError(None, "has no active row of a map")
        return MapFile(read, dict(self._left_out))

    def _refuse(self, line: int, message: str) -> None:
        self._faults.append(FileFault(self._name, line, message))
        if len(self._faults) == _MOST_FAULTS:
            raise InvalidCatalogueError(self._faults, "the map")

    def _extended_map(self, names: Sequence[str], lines: Iterator[tuple[int, str]]) -> SnomedMap:
        missing = [name for name in _COLUMNS_OF_MAP if name.lower() not in names]
        if missing:
            message = f"has no column {', '.join(missing)}: it is not an ExtendedMap of RF2"
            raise FileError(1, message)
        rows = self._newest(names, lines)
        self._left_out.update(row.refset for row in rows)
        refset = self._chosen_refset()
        del self._left_out[refset]
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
        return SnomedMap(_EDITION_OF.get(refset), groups_by_code)

    def _chosen_refset(self) -> str:
        """Return the reference set to read: the given one, a known one, or the only one."""
        refsets = sorted(self._left_out)
        named = ", ".join(refsets[:_MOST_NAMED])
        if self._refset is not None:
            if self._refset not in refsets:
                raise FileError(None, f"has no active row of {self._refset}; it has {named}")
            return self._refset
        known = next((refset for refset in _EDITION_OF if refset in refsets), None)
        if known is None and len(refsets) > 1:
            message = f"has the maps of {len(refsets)} reference sets; give one with --refset"
            raise FileError(None, f"{message}: {named}")
        return known or next(iter(refsets), "")

    def _newest(self, names: Sequence[str], lines: Iterator[tuple[int, str]]) -> list[_Row]:
        """Return the active rows; of several with the same id, only the newest counts."""
        columns = [names.index(name.lower()) for name in _COLUMNS_OF_MAP]
        texts: dict[str, str] = {}
        newest: dict[str, _Row] = {}
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) != len(names):
                self._refuse(number, f"must have {len(names)} columns, has {len(cells)}")
                continue
            row_id, time, active, *others = (cells[column].strip() for column in columns)
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
        # The UK edition states no rules: its rows are alternatives.
        rule = Rule.TRUE if row.refset == _UK and not row.rule else Rule.parse(row.rule)
        if rule is None:
            raise _RowError("mapRule must be TRUE, OTHERWISE TRUE, or begin with IFA")
        target = row.target
        if row.refset == _UK:
            target = "" if target in _NO_TARGET_OF_UK else _MARK_OF_UK.sub("", target)
        if target:
            # In the US edition, a question mark stands for the last character, the encounter.
            target = target.removesuffix("?")
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
        return SnomedMap(None, {code: (tuple(texts),) for code, texts in targets.items()})

    def _add(
        self, line: int, text: str, delimiter: str, targets: dict[int, dict[str, None]]
    ) -> None:
        try:
            code, target = self._cells(text, delimiter)
            self._require_code("the first column", code)
            if target:
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
