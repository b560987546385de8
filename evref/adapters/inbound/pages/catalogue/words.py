"""What the pages say: the names of the catalogue's terms, and sentences made from its data."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from urllib.parse import urlsplit

from evref.domain.catalogue import vocabulary
from evref.domain.catalogue.card import card
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.evidence import Direction, Recommendation, ReferenceKind
from evref.domain.catalogue.intervention import Intervention

NAMES = vocabulary.NAMES
TIMES = vocabulary.TIMES
MEANINGS = vocabulary.MEANINGS
SIGNS = {Direction.FOR: "+", Direction.AGAINST: "\N{MINUS SIGN}", Direction.UNCLEAR: "?"}
STRENGTHS = {
    Recommendation.STRONG_FOR: "strong",
    Recommendation.CONDITIONAL_FOR: "conditional",
    Recommendation.CONDITIONAL_AGAINST: "conditional",
    Recommendation.STRONG_AGAINST: "strong",
    Recommendation.NOT_STATED: "unstated",
}
"""Also the CSS classes for the weight of a name."""
LEANINGS = {Direction.FOR: "Sources favour it", Direction.UNCLEAR: "Unclear"}
"""What the card says where no graded recommendation was seen."""


def verdict(intervention: Intervention) -> str:
    """Return what the sources say about the intervention, and the strength of the recommendation.

    Such as “Guidelines advise against it (strong)”.
    """
    evidence = intervention.evidence
    if evidence.recommendation is Recommendation.NOT_STATED:
        return _without_recommendation(evidence.direction)
    is_guideline = any(
        reference.kind is ReferenceKind.GUIDELINE for reference in intervention.references
    )
    who = "Guidelines" if is_guideline else "Sources"
    said = "recommend it" if evidence.direction is Direction.FOR else "advise against it"
    return f"{who} {said} ({STRENGTHS[evidence.recommendation]})"


def _without_recommendation(direction: Direction) -> str:
    if direction is Direction.UNCLEAR:
        return "Unclear: the sources differ, or find too little"
    said = "favour it" if direction is Direction.FOR else "advise against it, or find no benefit"
    return f"Sources {said}; no graded recommendation seen"


def directions(interventions: Iterable[Intervention]) -> dict[Direction, int]:
    """Return the number of interventions of each direction that occurs, in enumeration order."""
    counts = Counter(each.evidence.direction for each in interventions)
    return {direction: counts[direction] for direction in Direction if counts[direction]}


def summary(entry: Entry) -> str:
    """Return the entry in a sentence, for search engines and previews."""
    diagnosis = entry.diagnosis
    counts = [
        f"{NAMES[group].lower()}: {len(some)}"
        for group, some in card(entry.visible_interventions()).items()
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
    """Return when the entries were last checked; there must be one."""
    return days([entry.diagnosis.checked_on for entry in catalogue.entries])


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


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return the number with its noun, such as 1 intervention or 1,200 diagnoses."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
