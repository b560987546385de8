"""Converts the text of a file to an entry, with the line of each error."""

from typing import Any

from evref.adapters.outbound.codec import Path, errors_of, from_document
from evref.adapters.outbound.files.nodes import FileError, Node, parsed, shown
from evref.domain.catalogue.entry import Entry
from evref.domain.errors import InvalidValueError
from evref.ports.catalogue import FileFault

_LONGEST_MESSAGE = 500
_MOST_ERRORS = 1000


class Reader:
    """Reads files one by one, and remembers the file of each id to find duplicates."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], str] = {}

    def entry(self, text: str, file: str) -> tuple[Entry | None, list[FileFault]]:
        """Return the entry in the text of a file, or the errors of the file by line."""
        try:
            node = parsed(text)
        except FileError as error:
            return None, [FileFault(file, error.line, error.message)]
        entry = None
        errors: dict[Path, str] = {}
        try:
            entry = from_document(node.data)
        except InvalidValueError as error:
            for path, message in errors_of(error.faults):
                errors.setdefault(path, message)
        errors |= self._repeated_ids(node, file)
        faults = _faults(file, node, errors)
        return (None if faults else entry), faults[:_MOST_ERRORS]

    def _repeated_ids(self, node: Node, file: str) -> list[tuple[Path, str]]:
        """Check that ids are unique among the files."""
        errors = self._repeated_id(node, "diagnosis", ("id",), file)
        interventions = _at(node, ("interventions",)).inner
        for place in range(len(interventions) if isinstance(interventions, list) else 0):
            errors += self._repeated_id(node, "intervention", ("interventions", place, "id"), file)
        return errors

    def _repeated_id(self, node: Node, kind: str, path: Path, file: str) -> list[tuple[Path, str]]:
        identifier = _at(node, path)
        if not isinstance(identifier.data, str):
            return []
        place = f"{file}:{identifier.line}"
        first = self._places.setdefault((kind, identifier.data), place)
        if first == place:
            return []
        return [(path, f'must be unique, "{shown(identifier.data)}" is also the id in {first}')]


def _at(node: Node, path: Path) -> Node:
    """Return the node at a path, or its nearest existing ancestor."""
    for step in path:
        inner: Any = node.inner
        try:
            node = inner[step]
        except (LookupError, TypeError):
            break
    return node


def _faults(file: str, node: Node, found: dict[Path, str]) -> list[FileFault]:
    faults = [
        FileFault(file, _at(node, path).line, _message(path, message))
        for path, message in found.items()
    ]
    return sorted(faults, key=lambda fault: fault.line or 0)


def _message(path: Path, message: str) -> str:
    """Return the message with the name of its field in front."""
    names = [step for step in path if isinstance(step, str) and step]
    name = f"{shown(names[-1])}: " if names else ""
    return f"{name}{shown(message, _LONGEST_MESSAGE)}"
