"""An entry of the catalogue as a JSON document, for adapters that store or write entries."""

from evref.adapters.outbound.codec.document import from_document, to_document

__all__ = ["from_document", "to_document"]
