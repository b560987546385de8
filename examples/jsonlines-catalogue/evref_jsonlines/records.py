"""A diagnosis with its interventions as one line of JSON."""

import json

from evref.adapters.outbound.codec import from_document, to_document
from evref.domain.catalogue.catalogue import Entry


def write(entry: Entry) -> str:
    """Return the line of an entry, without a line break."""
    return json.dumps(to_document(entry), ensure_ascii=False)


def read(line: str) -> Entry:
    """Return the entry in a line that `write` wrote.

    Raises:
        ValueError: If the line is not a valid entry, or breaks a rule of the domain.

    """
    return from_document(json.loads(line))
