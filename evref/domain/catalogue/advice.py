"""Warnings about a catalogue for contributors, which are not errors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.rules import folded, unseen_characters

# A direction belongs to the evidence.
_DIRECTION = re.compile(
    r"\b(advi[cs]ed? against|recommend\w* against|not (recommended|advised|indicated)|avoid"
    r"|should not)\b|^do not\b",
    re.IGNORECASE,
)


def warnings(catalogue: Catalogue) -> Iterator[str]:
    """Yield warnings about hidden interventions, titles, invisible characters and shared terms."""
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
    yield from _shared_terms(catalogue)


def _shared_terms(catalogue: Catalogue) -> Iterator[str]:
    by_term: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for entry in catalogue.entries:
        for language, terms in entry.diagnosis.terms.items():
            for term in terms:
                by_term[language, folded(term)].setdefault(entry.diagnosis.id, term)
    for (language, _), spellings in sorted(by_term.items()):
        if len(spellings) > 1:
            term = next(iter(spellings.values()))
            names = ", ".join(spellings)
            yield f"the term {term!r} ({language}) is shared by several diagnoses: {names}"
