"""Warnings about a catalogue for contributors, which are not errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.rules import unseen_characters

# A direction belongs to the evidence.
_DIRECTION = re.compile(
    r"\b(advi[cs]ed? against|recommend\w* against|not (recommended|advised|indicated)|should not)\b"
    r"|^(avoid|do not)\b",
    re.IGNORECASE,
)


def warnings(catalogue: Catalogue) -> Iterator[str]:
    """Yield warnings about hidden interventions, titles and invisible characters."""
    for entry in catalogue.entries:
        for hidden in entry.hidden_interventions():
            yield (
                f"{hidden.id}: {hidden.module} is not in enabled_modules, so the intervention is "
                "hidden"
            )
        for intervention in entry.interventions:
            if _DIRECTION.search(intervention.title):
                yield (
                    f"{intervention.id}: the title {intervention.title!r} names a direction; it "
                    "should name only the intervention"
                )
        unseen = unseen_characters(entry.text)
        if unseen:
            yield (
                f"{entry.diagnosis.id}: has invisible or bidirectional characters: "
                + ", ".join(f"U+{ord(character):04X}" for character in unseen)
            )
