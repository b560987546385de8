"""Writes the entries of a catalogue to readable files that read back to the same entries."""

import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from evref.adapters.outbound.codec import to_document
from evref.adapters.outbound.files.folders import (
    LARGEST_FILE,
    is_catalogue_file,
    reason,
    shown_path,
)
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.ports.catalogue import FileFault, InvalidCatalogueError

_WIDTH = 110
_TEXT = "tag:yaml.org,2002:str"
_BESIDE = ".evref-export-"
_BLOCKS = {"interventions", "effects"}
"""The lists that are not written on one line."""

# Words separated by single spaces: folding preserves only such text.
_FOLDABLE = re.compile(r"[!-~\u00a1-\u1fff]+( [!-~\u00a1-\u1fff]+)*")
# Text that other YAML parsers, unlike PyYAML, read as a number, a date or a Boolean.
_READS_AS_SOMETHING_ELSE = re.compile(r"[yYnN]|[0-9][0-9A-Fa-foxOX_.,:eE+-]*")

_DUMPER: type[yaml.SafeDumper | yaml.CSafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_files(catalogue: Catalogue, folder: Path) -> None:
    """Write `ID.yaml` for each entry to the folder, which is created if it does not exist.

    Raises:
        InvalidCatalogueError: If the files cannot be written; nothing is then changed. If the
            process is killed, some files may be replaced and others not.

    """
    texts = {f"{entry.diagnosis.id}.yaml": text_of_entry(entry) for entry in catalogue.entries}
    _refuse(
        FileFault(shown_path(folder / name), None, f"would have more than {LARGEST_FILE} bytes")
        for name, text in texts.items()
        if len(text.encode()) > LARGEST_FILE
    )
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_other_files(texts, folder)
        _write_beside_then_rename(texts, folder)
    except (OSError, ValueError) as error:
        with suppress(OSError):
            for path in filter(Path.is_dir, missing):
                path.rmdir()
        message = f"cannot be written: {reason(error)}"
        raise InvalidCatalogueError([FileFault(shown_path(folder), None, message)]) from error


def text_of_entry(entry: Entry) -> str:
    """Return the text of the file of a diagnosis."""
    text: str = yaml.serialize(
        _node(to_document(entry)), Dumper=_DUMPER, allow_unicode=True, width=_WIDTH
    )
    return text


def _node(value: Any, name: str = "", depth: int = 0) -> yaml.Node:  # noqa: ANN401 - JSON is
    match value:
        case dict():
            pairs = [(_text(key, 0), _node(item, key, depth + 1)) for key, item in value.items()]
            return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=not pairs)
        case list():
            items = [_node(item, depth=depth + 1) for item in value]
            is_inline = name not in _BLOCKS or not items
            return yaml.SequenceNode("tag:yaml.org,2002:seq", items, flow_style=is_inline)
        case Decimal():
            kind = "float" if "." in str(value) else "int"
            return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", str(value))
        case str():
            return _text(value, len(name) + 2 * depth)
        case _:
            kind = {bool: "bool", int: "int"}.get(type(value), "null")
            return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", json.dumps(value))


def _text(text: str, before: int) -> yaml.ScalarNode:
    """Return a node of text: folded if long, quoted if a parser could read it as another type."""
    style = None
    if before + len(text) > _WIDTH and _FOLDABLE.fullmatch(text):
        style = ">"
    elif _READS_AS_SOMETHING_ELSE.fullmatch(text):
        style = '"'
    return yaml.ScalarNode(_TEXT, text, style=style)


def _refuse_other_files(texts: dict[str, str], folder: Path) -> None:
    messages = [
        (folder / name, "is a folder where a file is to be written")
        for name in texts
        if (folder / name).is_dir()
    ]
    for inside, folders, names in os.walk(folder):
        # As on reading, hidden folders are skipped.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        messages += [
            (Path(inside, name), "is a catalogue file of another diagnosis; name an empty folder")
            for name in sorted(names)
            if is_catalogue_file(name) and not (Path(inside) == folder and name in texts)
        ]
    _refuse(FileFault(shown_path(path), None, message) for path, message in messages)


def _refuse(faults: Iterable[FileFault]) -> None:
    listed = list(faults)
    if listed:
        raise InvalidCatalogueError(listed)


def _write_beside_then_rename(texts: dict[str, str], folder: Path) -> None:
    # Processes that were killed left their folders behind. Hidden ones are skipped on reading.
    for left in folder.glob(f"{_BESIDE}*"):
        with suppress(OSError), _locked(left):
            shutil.rmtree(left)
    beside = Path(tempfile.mkdtemp(prefix=_BESIDE, dir=folder))
    try:
        with _locked(beside), ExitStack() as undo:
            for name, text in texts.items():
                (beside / name).write_bytes(text.encode())
            for name in texts:
                target, earlier = folder / name, beside / f"{name}.earlier"
                if os.path.lexists(target):
                    shutil.copy2(target, earlier, follow_symlinks=False)
                (beside / name).replace(target)
                undo.callback(earlier.replace if os.path.lexists(earlier) else Path.unlink, target)
            undo.pop_all()
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder until the end of the block or of the process.

    Raises:
        BlockingIOError: If another process has locked it.

    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
