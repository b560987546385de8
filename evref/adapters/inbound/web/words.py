"""The names of the catalogue's terms, and sentences made from its data, for the pages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from urllib.parse import quote, urlencode, urlsplit

from evref.domain.catalogue import in_words, vocabulary
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup, Direction, Reference
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.domain.rules import counted

NAMES = vocabulary.NAMES
TIMES = vocabulary.TIMES
MEANINGS = vocabulary.MEANINGS
LANGUAGES = {"de": "German", "es": "Spanish", "fr": "French", "it": "Italian"}
SIGNS = {Direction.FOR: "+", Direction.AGAINST: "\N{MINUS SIGN}", Direction.UNCLEAR: "?"}

FAVOURED = (CardGroup.RECOMMENDED, CardGroup.TO_CONSIDER, CardGroup.SUPPORTED)
FITT_VP = ("frequency", "intensity", "time", "type", "volume", "progression")
_PREVIEWED = 3
_SHORT_NAMES = {
    CardGroup.SUPPORTED: "Supported",
    CardGroup.NO_BENEFIT_FOUND: "No benefit",
    CardGroup.UNCLEAR: "Unclear",
}


def short(group: CardGroup) -> str:
    """Return the name of a group where there is little room."""
    return _SHORT_NAMES.get(group) or NAMES[group]


def remarks(intervention: Intervention, commonest: Phase | None) -> Iterator[str]:
    """Yield what the line of an intervention says before its source.

    That is the phase unless it is the commonest of the page, and the dose of an exercise, or else
    the first effect unless it says the opposite of the group.
    """
    if intervention.phase is not commonest:
        yield NAMES[intervention.phase]
    direction = intervention.evidence.direction
    if intervention.fitt_vp is not None:
        yield in_words.dose(intervention.fitt_vp)
    elif intervention.effects and not in_words.contradicts(intervention.effects[0], direction):
        yield in_words.short(intervention.effects[0])


def stated(dose: FittVp) -> dict[str, str]:
    return {name: text for name in FITT_VP if (text := getattr(dose, name))}


def unbroken(source: str) -> str:
    """Return the name of a source with a year that never begins a line."""
    return re.sub(" (?=[0-9]{4})", "\N{NO-BREAK SPACE}", source)


def directions(interventions: Iterable[Intervention]) -> dict[Direction, int]:
    counts = Counter(intervention.evidence.direction for intervention in interventions)
    return {direction: counts[direction] for direction in Direction if counts[direction]}


def groups(entry: Entry) -> dict[CardGroup, int]:
    counts = Counter(intervention.evidence.group for intervention in entry.visible_interventions())
    return {group: counts[group] for group in CardGroup if counts[group]}


def summary(entry: Entry) -> str:
    """Return the first line of the first groups of the card, for search engines and previews."""
    diagnosis = entry.diagnosis
    lines = [
        f"{NAMES[group]} ({len(some)}): {some[0].title}."
        for group, some in islice(entry.card().items(), _PREVIEWED)
    ]
    codes = ", ".join(diagnosis.icd10_codes)
    return " ".join([f"{diagnosis.name} (ICD-10 {codes}).", *(lines or ["No interventions."])])


def dose_summary(exercises: Sequence[Intervention]) -> str:
    """Return the doses of the first exercises, for search engines and previews."""
    return " ".join(
        f"{exercise.title}: {in_words.dose(exercise.fitt_vp)}."
        for exercise in exercises[:_PREVIEWED]
        if exercise.fitt_vp is not None
    )


def reviewed(catalogue: Catalogue) -> str:
    total = counted(len(catalogue.entries), "diagnosis", "diagnoses")
    return f"Reviewed by a clinician: {reviewed_count(catalogue)} of {total}."


def reviewed_count(catalogue: Catalogue) -> int:
    return sum(entry.diagnosis.reviewed is not None for entry in catalogue.entries)


def checked(catalogue: Catalogue) -> str:
    """Return when the entries were last checked: “on 2 November 2026”, or “between” two days."""
    checks = [entry.diagnosis.checked_on for entry in catalogue.entries]
    first, last = min(checks), max(checks)
    if first == last:
        return f"on {day(first)}"
    is_same_month = (first.year, first.month) == (last.year, last.month)
    return f"between {first.day if is_same_month else day(first)} and {day(last)}"


def years(works: Iterable[Reference]) -> str:
    """Return the year of the works (at least one), or the first and the last year."""
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


def contact_link(contact: str) -> str:
    """Return the operator's contact, an https: or e-mail address, as a link."""
    return contact if contact.startswith("https:") else f"mailto:{quote(contact, safe='@')}"


def report_link(contact: str, entry_id: str, version: str, address: str) -> str:
    """Return the link to report an error; it prefills the id, version and address of the entry."""
    if contact.startswith("https:"):
        parts = urlsplit(contact)
        entry = urlencode({"entry": entry_id, "version": version})
        return parts._replace(query=f"{parts.query}&{entry}".lstrip("&")).geturl()
    fields = {
        "subject": f"Error in {entry_id}",
        "body": f"Entry: {entry_id}\r\nVersion: {version}\r\nPage: {address}\r\n\r\n",
    }
    return f"{contact_link(contact)}?{urlencode(fields, quote_via=quote)}"


def day(of: date) -> str:
    """Return the date in the form 2 November 2026."""
    return f"{of.day} {of:%B %Y}"
