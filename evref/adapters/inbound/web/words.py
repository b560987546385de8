"""The names of the catalogue's terms, and sentences made from its data, for the pages."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from urllib.parse import urlsplit

from evref.domain.catalogue import vocabulary
from evref.domain.catalogue.card import card
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Reference
from evref.domain.catalogue.intervention import Intervention
from evref.domain.rules import counted

NAMES = vocabulary.NAMES
TIMES = vocabulary.TIMES
MEANINGS = vocabulary.MEANINGS
LANGUAGES = {"de": "German", "es": "Spanish", "fr": "French", "it": "Italian"}
SIGNS = {Direction.FOR: "+", Direction.AGAINST: "\N{MINUS SIGN}", Direction.UNCLEAR: "?"}


def directions(interventions: Iterable[Intervention]) -> dict[Direction, int]:
    """Return the number of interventions of each direction that occurs, in enumeration order."""
    counts = Counter(intervention.evidence.direction for intervention in interventions)
    return {direction: counts[direction] for direction in Direction if counts[direction]}


def summary(entry: Entry) -> str:
    """Return a one-sentence description of the entry, for search engines and link previews."""
    diagnosis = entry.diagnosis
    counts = [
        f"{NAMES[group].lower()}: {len(interventions)}"
        for group, interventions in card(entry.visible_interventions(), diagnosis.mainstays).items()
    ]
    codes = ", ".join(map(str, diagnosis.icd10_codes))
    return f"{diagnosis.name} (ICD-10 {codes}). Interventions, with grades and references. " + (
        "; ".join(counts).capitalize() + "." if counts else "None."
    )


def reviewed(catalogue: Catalogue) -> str:
    """Return how many diagnoses a clinician has reviewed."""
    total = counted(len(catalogue.entries), "diagnosis", "diagnoses")
    return f"Reviewed by a clinician: {reviewed_count(catalogue)} of {total}."


def reviewed_count(catalogue: Catalogue) -> int:
    return sum(entry.diagnosis.reviewed is not None for entry in catalogue.entries)


def checked(catalogue: Catalogue) -> str:
    """Return when the entries were last checked, as a day or a period. There must be an entry."""
    return days([entry.diagnosis.checked_on for entry in catalogue.entries])


def years(works: Iterable[Reference]) -> str:
    """Return the year of the works, or the first and the last year; there must be at least one
    work.
    """
    first, *_, last = sorted(work.year for work in (*works, *works))
    return str(first) if first == last else f"{first} to {last}"


def anchor(number: int) -> str:
    """Return the id of the reference with this number."""
    return f"ref-{number}"


def slug(words: str) -> str:
    """Return the id of a group of diagnoses.

    >>> slug("Blood and immune system")
    'blood-and-immune-system'
    """
    return "-".join(words.lower().replace(",", "").split())


def host(address: str) -> str:
    return urlsplit(address).hostname or address


def day(of: date) -> str:
    """Return the date in the form 2 November 2026."""
    return f"{of.day} {of:%B %Y}"


def days(all_of: list[date]) -> str:
    """Return one day, or the first and the last day."""
    first, last = min(all_of), max(all_of)
    return day(first) if first == last else f"{day(first)} to {day(last)}"
