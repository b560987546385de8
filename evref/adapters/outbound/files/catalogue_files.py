"""Reads and writes the files of a catalogue, with the line of each error."""

import pathlib
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from evref.adapters.outbound.codec.document import from_document
from evref.adapters.outbound.codec.records import Path, UnreadableError
from evref.adapters.outbound.files.folders import Folders, shown_path, text_of
from evref.adapters.outbound.files.nodes import FileError, Node, parsed, shown
from evref.adapters.outbound.files.snomed_map import read_snomed_map
from evref.adapters.outbound.files.writing import write_files
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.ports import catalogue
from evref.ports.catalogue import FileFault, InvalidCatalogueError, MapFile

_LONGEST_MESSAGE = 500

_Locations: TypeAlias = dict[tuple[str | int, str], str]
"""The file and the line of each id, by whether it is of a diagnosis or of an intervention."""


class YamlCatalogueFiles(catalogue.CatalogueFiles):
    """One YAML file for each diagnosis; docs/reference/catalogue-format.md has the format."""

    def read(self, paths: Iterable[pathlib.Path]) -> Catalogue:
        folders = Folders(paths)
        locations: _Locations = {}
        entries = []
        faults = list(folders.faults)
        for path in folders.files:
            entry, errors = _entry(path, locations)
            faults += errors
            if entry is not None:
                entries.append(entry)
        if faults:
            raise InvalidCatalogueError(faults)
        return Catalogue(entries)

    def not_read(self, paths: Iterable[pathlib.Path]) -> tuple[str, ...]:
        return tuple(Folders(paths).not_read)

    def read_snomed_map(self, path: pathlib.Path, refset: str | None) -> MapFile:
        return read_snomed_map(path, refset)

    def write(self, catalogue: Catalogue, folder: pathlib.Path) -> None:
        write_files(catalogue, folder)


def _entry(path: pathlib.Path, locations: _Locations) -> tuple[Entry | None, list[FileFault]]:
    """Return the entry in a file, or its errors by line. Adds the file's ids to the locations."""
    file = shown_path(path)
    try:
        node = parsed(text_of(path))
    except FileError as error:
        return None, [FileFault(file, error.line, error.message)]
    entry = None
    # By path, because one error of a field is enough.
    errors: dict[Path, str] = {}
    try:
        entry = from_document(node.data)
    except UnreadableError as error:
        for field, message in error.errors:
            errors.setdefault(field, message)
    errors |= _repeated_ids(node, file, locations)
    faults = [
        FileFault(file, _at(node, field).line, _message(field, message))
        for field, message in errors.items()
    ]
    return (None if faults else entry), sorted(faults, key=lambda fault: fault.line or 0)


def _repeated_ids(node: Node, file: str, locations: _Locations) -> Iterator[tuple[Path, str]]:
    interventions = _at(node, ("interventions",)).inner
    number = len(interventions) if isinstance(interventions, list) else 0
    paths: list[Path] = [("id",), *(("interventions", index, "id") for index in range(number))]
    for path in paths:
        name = _at(node, path)
        if not isinstance(name.data, str):
            continue
        first = locations.get((path[0], name.data))
        if first is None:
            locations[path[0], name.data] = f"{file}:{name.line}"
        else:
            yield path, f'must be unique, "{shown(name.data)}" is also the id in {first}'


def _at(node: Node, path: Path) -> Node:
    """Return the node at a path, or its nearest existing ancestor."""
    for step in path:
        inner: Any = node.inner
        try:
            node = inner[step]
        except (LookupError, TypeError):
            break
    return node


def _message(path: Path, message: str) -> str:
    """Return the message with the name of its field in front."""
    names = [step for step in path if isinstance(step, str) and step]
    name = f"{shown(names[-1])}: " if names else ""
    return f"{name}{shown(message, _LONGEST_MESSAGE)}"
