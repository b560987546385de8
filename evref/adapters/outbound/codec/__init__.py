"""An entry of the catalogue as a JSON document, for adapters that store or write entries."""

from evref.adapters.outbound.codec.document import from_document, to_document
from evref.adapters.outbound.codec.records import NUMBER, Path, Quoted, Unquoted, UnreadableError

__all__ = [
    "NUMBER",
    "Path",
    "Quoted",
    "Unquoted",
    "UnreadableError",
    "from_document",
    "to_document",
]
