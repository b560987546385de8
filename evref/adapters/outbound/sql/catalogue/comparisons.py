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
                "id": diagnosis.diagnosis_id,
                "record": diagnosis.record,
                "added": diagnosis.interventions_added,
                "removed": diagnosis.interventions_removed,
                "changed": [
                    {
                        "id": intervention.id,
                        "fields": intervention.fields,
                        "direction": intervention.direction
                        and [intervention.direction.before, intervention.direction.after],
                    }
                    for intervention in diagnosis.interventions_changed
                ],
            }
            for diagnosis in comparison.changed
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
                diagnosis["id"],
                diagnosis["record"],
                tuple(diagnosis["added"]),
                tuple(diagnosis["removed"]),
                tuple(
                    InterventionChange(
                        intervention["id"],
                        tuple(intervention["fields"]),
                        intervention["direction"]
                        and Turn(*map(Direction, intervention["direction"])),
                    )
                    for intervention in diagnosis["changed"]
                ),
            )
            for diagnosis in document["changed"]
        ),
    )
