"""Warnings about a catalogue for contributors, which are not errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import names_a_direction
from evref.domain.rules import folded, unseen_characters


def warnings(catalogue: Catalogue) -> Iterator[str]:
    """Yield warnings about hidden interventions, titles, invisible characters and shared terms."""
    for entry in catalogue.entries:
        for hidden in entry.hidden_interventions():
            yield (
                f"{hidden.id}: {hidden.module} is not in enabled_modules, so the intervention is "
                "hidden"
            )
        for intervention in entry.interventions:
            if names_a_direction(intervention.title):
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
