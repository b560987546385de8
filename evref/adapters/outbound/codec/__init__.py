"""Records of the catalogue as JSON documents, for adapters that store or write them."""

from evref.adapters.outbound.codec.document import from_document, to_document
from evref.adapters.outbound.codec.records import (
    NUMBER,
    Path,
    Quoted,
    Unquoted,
    UnreadableError,
    read_record,
)

__all__ = [
    "NUMBER",
    "Path",
    "Quoted",
    "Unquoted",
    "UnreadableError",
    "from_document",
    "read_record",
    "to_document",
]
