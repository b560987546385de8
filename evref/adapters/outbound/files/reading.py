"""Converts the text of a file to an entry; the schema and then the domain validate it."""

from itertools import islice

from evref.adapters.outbound.codec import from_document
from evref.adapters.outbound.files import schema
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
        """Return the entry in the text of a file, or the faults of the file by line."""
        try:
            node = parsed(text)
        except FileError as error:
            return None, [FileFault(file, error.line, error.message)]
        found = dict(islice(schema.errors(node), _MOST_ERRORS))
        if len(found) == _MOST_ERRORS:
            # Nobody reads more faults, and each takes time and memory.
            return None, _faults(file, node, found)
        entry = None
        by_schema = tuple(found)
        try:
            entry = from_document(node.data)
        except InvalidValueError as error:
            for fault in error.faults:
                item = () if fault.item is None else (fault.item,)
                path = (*fault.path, fault.field, *item)
                if not any(
                    _is_within(path, other) or _is_within(other, path) for other in by_schema
                ):
                    found.setdefault(path, fault.message)
        for path, message in self._repeated_ids(node, file):
            found.setdefault(path, message)
        faults = _faults(file, node, found)
        return (None if faults else entry), faults

    def _repeated_ids(self, node: Node, file: str) -> list[tuple[schema.Path, str]]:
        """Check that ids are unique among the files."""
        errors = self._repeated_id(node, "diagnosis", ("id",), file)
        interventions = schema.at(node, ("interventions",)).inner
        for place in range(len(interventions) if isinstance(interventions, list) else 0):
            errors += self._repeated_id(node, "intervention", ("interventions", place, "id"), file)
        return errors

    def _repeated_id(
        self, node: Node, kind: str, path: schema.Path, file: str
    ) -> list[tuple[schema.Path, str]]:
        identifier = schema.at(node, path)
        if not isinstance(identifier.data, str):
            return []
        place = f"{file}:{identifier.line}"
        first = self._places.setdefault((kind, identifier.data), place)
        if first == place:
            return []
        return [(path, f'must be unique, "{shown(identifier.data)}" is also the id in {first}')]


def _is_within(path: schema.Path, other: schema.Path) -> bool:
    return path[: len(other)] == other


def _faults(file: str, node: Node, found: dict[schema.Path, str]) -> list[FileFault]:
    faults = [
        FileFault(file, schema.at(node, path).line, _message(path, message))
        for path, message in found.items()
    ]
    return sorted(faults, key=lambda fault: fault.line or 0)


def _message(path: schema.Path, message: str) -> str:
    """Return the message with the name of its field in front."""
    names = [step for step in path if isinstance(step, str)]
    name = f"{shown(names[-1])}: " if names else ""
    return f"{name}{shown(message, _LONGEST_MESSAGE)}"
