"""The catalogue's entries as JSON documents, of this format and of earlier ones."""

import json
import zlib
from datetime import date

import pytest

from evref.adapters.outbound.sql.catalogue import documents
from evref.adapters.outbound.sql.catalogue.documents import FORMAT
from evref.domain.catalogue.catalogue import Entry
from evref.testing.builders import an_entry

PUBLISHED_ON = date(2026, 11, 21)


def read_1(document: object) -> Entry:
    """Read as the migration to a history of publications left it."""
    return documents.read(zlib.compress(json.dumps(document).encode()), 1, PUBLISHED_ON)


def test_an_entry_reads_back_the_same() -> None:
    """The codec has the tests of every field."""
    entry = an_entry()

    assert documents.read(documents.write(entry), FORMAT, PUBLISHED_ON) == entry


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_a_format_that_is_not_known_is_refused(number: int) -> None:
    """As a later version of evref may have written it."""
    with pytest.raises(ValueError, match=f"format {number} is not known"):
        documents.read(documents.write(an_entry()), number, PUBLISHED_ON)


@pytest.mark.parametrize(
    "found", [[], None, {}, {"diagnosis": [], "interventions": 1}, {"interventions": []}]
)
def test_a_malformed_document_of_format_1_is_refused(found: object) -> None:
    """Another kind of value, or other fields."""
    with pytest.raises(ValueError, match=r"."):
        read_1(found)


@pytest.mark.parametrize("content", [b"", b"no gzip", zlib.compress(b"no JSON")])
def test_a_document_that_is_not_json_is_refused(content: bytes) -> None:
    """Compressed or not."""
    with pytest.raises(ValueError, match=r"."):
        documents.read(content, FORMAT, PUBLISHED_ON)
