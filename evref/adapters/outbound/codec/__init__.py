"""An entry of the catalogue as a JSON document, for adapters that store or write entries."""

from evref.adapters.outbound.codec.document import from_document, to_document
from evref.adapters.outbound.codec.records import NUMBER, Path, Quoted, Unquoted, errors_of

__all__ = ["NUMBER", "Path", "Quoted", "Unquoted", "errors_of", "from_document", "to_document"]
