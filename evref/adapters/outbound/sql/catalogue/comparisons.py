"""Comparisons of catalogues as compressed JSON, the form in which they are stored."""

import json
import zlib
from typing import Any

from evref.domain.catalogue.comparison import (
    Comparison,
    DiagnosisChange,
    InterventionChange,
    Turn,
)
from evref.domain.catalogue.evidence import Direction


def write(comparison: Comparison) -> bytes:
    document = {
        "added": comparison.added,
        "removed": comparison.removed,
        "changed": [
            {
                "id": each.diagnosis_id,
                "record": each.record,
                "added": each.interventions_added,
                "removed": each.interventions_removed,
                "changed": [
                    {
                        "id": one.id,
                        "fields": one.fields,
                        "direction": one.direction and [one.direction.before, one.direction.after],
                    }
                    for one in each.interventions_changed
                ],
            }
            for each in comparison.changed
        ],
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode())


def read(content: bytes) -> Comparison:
    """Return the comparison that was written.

    Raises:
        ValueError: If the content is damaged.

    """
    try:
        return _comparison(json.loads(zlib.decompress(content)))
    except (zlib.error, LookupError, TypeError) as error:
        raise ValueError(f"a comparison cannot be read: {error!r}") from error


def _comparison(document: Any) -> Comparison:  # noqa: ANN401 - as JSON has it
    return Comparison(
        tuple(document["added"]),
        tuple(document["removed"]),
        tuple(
            DiagnosisChange(
                each["id"],
                each["record"],
                tuple(each["added"]),
                tuple(each["removed"]),
                tuple(
                    InterventionChange(
                        one["id"],
                        tuple(one["fields"]),
                        one["direction"] and Turn(*map(Direction, one["direction"])),
                    )
                    for one in each["changed"]
                ),
            )
            for each in document["changed"]
        ),
    )
