"""What an assistant reads: instructions, descriptions, answers as plain text, and failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from evref_mcp.answers import MOST_LISTED, in_card_order, works
from evref_mcp.effects import sentence
from evref_mcp.records import (
    DiagnosesBody,
    FoundIntervention,
    Hit,
    Intervention,
    InterventionsBody,
    Match,
    Meta,
    MetaOfQuestion,
    Reference,
    SearchBody,
)

INSTRUCTIONS = """\
Reads a catalogue of educational reference data: diagnoses with their ICD-10 and ICD-11 codes, and \
what guidelines, systematic reviews and trials say for and against each intervention.

What it is not: no clinical decision and no treatment prescription. It does not rank treatments \
and is not advice for a person. The physician, health professional or user always makes the final \
decision. The catalogue is not complete for any diagnosis: if an intervention is not listed, that \
does not mean that sources advise against it.

How to pass it on:
- Give each intervention with its direction (for, against or unclear). A title never says it.
- Give an effect with what it is compared with and its interval. Where there is no clear \
difference, say so.
- Give the cautions of an intervention with it, and say where a code fits only approximately.
- Give certainty and recommendation as they are. not_graded means that the source states no GRADE \
certainty; not_stated that no recommendation was seen, or that guidelines contradict each other. \
Neither is a low grade.
- Name the references with their links, whether a clinician has reviewed the entry, the version of \
the catalogue, and the disclaimer.
- Take nothing from elsewhere as if it came from the catalogue. If an answer is empty, or a tool \
fails, say so.
- Send no data about a patient: codes and words for a diagnosis are all that the tools need."""

_STRENGTHS = {
    "strong_for": "strongly recommended",
    "conditional_for": "conditionally recommended",
    "conditional_against": "conditionally advised against",
    "strong_against": "strongly advised against",
    "not_stated": "strength not stated",
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")

_NATURE = (
    "Educational reference data: no clinical decision, no treatment prescription, not complete. "
    "The professional makes the final decision."
)

MODULES = (
    "fitt_vip: Exercise (FITT-VP); pharmaconeutral: Medicines; home: Home and self-care; concept: "
    "Therapies and techniques; prevention: Prevention; diagnostic: Diagnosis and assessment."
)
PHASES = "acute: first weeks; subacute: weeks to months; chronic: later, or long-term."

FIND_DIAGNOSES = f"""\
Finds diagnoses by words, ICD-10 or ICD-11 codes, or module (combined with AND). Returns ids for \
list_interventions, and how well each code fits. Without arguments: ids and names of all.\
 {_NATURE}"""

FIND_INTERVENTIONS = f"""\
Finds interventions by words, codes (those of a whole ward) or diagnosis, each with direction \
(for, against, unclear), grade, cautions and references. {_NATURE}"""

LIST_INTERVENTIONS = f"""\
Lists the interventions of a diagnosis, with direction (for, against, unclear), recommendation, \
certainty, the source's grade, cautions, dose and references. Narrow it with module and phase. \
Titles never say a direction. {_NATURE}"""

KEY_REFUSED = (
    "The evidence reference service refused the API key of this program (EVREF_KEY): the key is "
    "mistyped, unknown, revoked or expired. Nothing was read. The person who set up evref-mcp "
    "should compare the key or set another one; a member of the institution creates keys in the "
    "institution settings of the service."
)
TOO_LONG = (
    "The arguments are too long. The service takes words of up to 200 characters and up to 50 "
    "codes. Nothing was read."
)
KEY_MAY_NOT_READ = (
    "The evidence reference service knows the API key of this program (EVREF_KEY), but its "
    "permission does not allow reading. Nothing was read. A member of the institution can "
    "give the key the permission “read” in the institution settings of the service."
)


def diagnoses(body: DiagnosesBody, *, only_names: bool) -> str:
    """Return what find_diagnoses found, as plain text."""
    lines = [f"{_counted(len(body.data), 'diagnosis', 'diagnoses')} found."]
    if not body.data:
        lines.append("The catalogue is not complete: this says nothing about a diagnosis.")
    if only_names:
        lines.append(", ".join(diagnosis.id for diagnosis in body.data))
    else:
        why = {hit.diagnosis_id: _why(hit) for hit in body.meta.found}
        lines += [
            f"- {diagnosis.name} (id {diagnosis.id}{why.get(diagnosis.id, '')})"
            for diagnosis in body.data[:MOST_LISTED]
        ]
        if len(body.data) > MOST_LISTED:
            lines.append(f"{len(body.data) - MOST_LISTED} more are not listed: narrow the search.")
    lines += _reading(body.meta)
    if body.meta.suggestions:
        names = (
            f"{suggestion['diagnosis_id']} (“{suggestion['term']}”)"
            for suggestion in body.meta.suggestions
        )
        lines.append(f"Perhaps meant: {', '.join(names)}.")
    return _with_source(lines, body.meta)


def _reading(meta: MetaOfQuestion) -> Iterator[str]:
    """Yield how words were read, if not as themselves, and what did not count or codes found."""
    for piece in meta.read:
        meaning = piece.meaning or "negated"
        if meaning.casefold() != piece.words.casefold():
            yield f"“{piece.words}” was read as {piece.read_as}: {meaning}."
    if meta.ignored:
        yield f"Did not count: {', '.join(meta.ignored)}."
    for match in meta.matches:
        yield f"- {match.parameter} {match.given or '(empty)'}{_found(match)}"


def _why(hit: Hit) -> str:
    corrected = ", spelling corrected" if hit.spelling_corrected else ""
    return f"; found by “{hit.matched}”{corrected}"


def _found(match: Match) -> str:
    if match.read_as is None:
        return f" was not read: {match.error}"
    if match.error is not None:
        return f", read as {match.read_as}: {match.error}"
    doubt = "this code also means other conditions"
    if match.qualifier is not None:
        doubt = f"recorded as {match.qualifier.replace('_', ' ')}"
    meanings = [
        fit.id + (f" ({doubt})" if fit.relation != "certain" else "") for fit in match.diagnoses
    ]
    if match.excluded_from:
        names = " or ".join(name.replace("-", " ") for name in match.excluded_from)
        meanings.append(f"this code means another condition than {names}")
    if match.narrower:
        below = (f"{found.id} ({', '.join(found.codes)})" for found in match.narrower)
        meanings.append(f"this code is wider; it includes {', '.join(below)}")
    return f", read as {match.read_as}: {', '.join(meanings) or 'nothing in the catalogue'}"


def interventions(body: InterventionsBody, filters: Mapping[str, str]) -> str:
    """Return a summary of what list_interventions lists, as plain text."""
    narrowed = ", ".join(filters.values()) or "all modules and phases"
    count = _counted(len(body.data), "intervention", "interventions")
    review = body.meta.diagnosis.reviewed
    by = (
        "not reviewed by a clinician" if review is None else f"reviewed by {review.by}, {review.on}"
    )
    lines = [f"{body.meta.diagnosis.name}: {count} ({narrowed}); {by}."]
    if body.meta.diagnosis.not_covered is not None:
        lines.append(f"Not covered: {body.meta.diagnosis.not_covered}.")
    if body.meta.diagnosis.scope is not None:
        lines.append(f"Scope: {body.meta.diagnosis.scope}")
    if not body.data:
        lines.append(
            "The catalogue lists none here. It is not complete: this does not mean that sources "
            "advise against anything."
        )
    return _with_source([*lines, *_listed(in_card_order(body), works(body.data))], body.meta)


def found_interventions(body: SearchBody) -> str:
    """Return a summary of what find_interventions found, as plain text."""
    count = _counted(body.meta.count, "intervention", "interventions")
    lines = [f"{count} found, {len(body.data)} listed."]
    if not body.data:
        lines.append("The catalogue is not complete: this says nothing about the evidence.")
    lines += _reading(body.meta)
    return _with_source([*lines, *_listed(body.data, works(body.data))], body.meta)


def _listed(interventions: Iterable[Intervention], cited: Sequence[Reference]) -> Iterator[str]:
    """Yield a line for each intervention, and one for each work that they cite by number."""
    diagnosis = None
    for intervention in interventions:
        if isinstance(intervention, FoundIntervention) and intervention.diagnosis != diagnosis:
            diagnosis = intervention.diagnosis
            yield f"{diagnosis.name} (id {diagnosis.id}):"
        evidence = intervention.evidence
        strength = _STRENGTHS[evidence.recommendation]
        if evidence.group == "no_benefit_found":
            strength = f"no benefit found, or harm; {strength}"
        remark = f"({intervention.phase}; {strength})"
        parts = [
            f"- {evidence.direction.upper()}: {intervention.title} {remark}.",
            f"Id {intervention.id}.",
            f"Grade: {evidence.source_grade}." if evidence.source_grade else "",
            f"{evidence.source or 'Its source'} was replaced." if evidence.superseded else "",
            f"Effect: {sentence(intervention.effects[0])}." if intervention.effects else "",
            _quoted(intervention) if isinstance(intervention, FoundIntervention) else "",
            f"Caution: {intervention.cautions}" if intervention.cautions else "",
            "".join(f"[{cited.index(work) + 1}]" for work in intervention.references),
        ]
        yield " ".join(filter(None, parts))
    for number, work in enumerate(cited, start=1):
        yield f"[{number}] {work.year} {work.url}"


def _quoted(intervention: FoundIntervention) -> str:
    """Return the sentence of the summary with the most of the words that the title lacks."""
    words = [word for word in intervention.matched if word not in intervention.title]
    patterns = [re.compile(rf"\b{re.escape(word)}\b") for word in words]

    def met(sentence: str) -> int:
        return sum(pattern.search(sentence) is not None for pattern in patterns)

    best = max(_SENTENCE_END.split(intervention.summary), key=met)
    return f"“{best}”" if intervention.matched_in == "summary" and met(best) else ""


def _with_source(lines: Iterable[str], meta: Meta) -> str:
    return "\n".join([*lines, meta.disclaimer])


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def invalid_arguments(faults: Iterable[tuple[str, str]], names: Iterable[str]) -> str:
    """Return what is wrong with the arguments of a call that was not sent."""
    errors = "; ".join(f"{name}: {message}" for name, message in faults)
    return f"Invalid arguments: {errors}. The arguments are: {', '.join(names)}. Nothing was read."


def refused(problem: dict[str, Any]) -> str:
    """Return what the service said about a request that it cannot answer."""
    errors = problem.get("errors") or []
    details = [
        f"{error.get('parameter')} {error.get('message')}; allowed: "
        f"{', '.join(map(str, error.get('allowed') or ['nothing']))}"
        for error in errors
    ]
    # With errors, the detail only refers to them.
    texts = [str(problem.get("title", "")), *(details or [str(problem.get("detail", ""))])]
    sentences = [f"{text.rstrip('.')}." for text in texts if text]
    return " ".join(["The evidence reference service refused the request:", *sentences])


def limit_used_up(retry_after: str) -> str:
    """Return the words for 429; `retry_after` is in seconds."""
    return (
        "The daily request limit of this program's API key is used up. The count starts again at "
        f"00:00 UTC ({_in(retry_after)}). Until then nothing can be read from the evidence "
        "reference service. A member of the institution can raise the limit in the institution "
        "settings of the service."
    )


def unavailable(url: str, retry_after: str) -> str:
    """Return the words for 503; `retry_after` is in seconds."""
    return (
        f"The evidence reference service at {url} is unavailable at the moment. Nothing was read. "
        f"Try again {_in(retry_after)}; if this continues, tell its operator."
    )


def no_answer(url: str) -> str:
    """Return the words for a timeout."""
    return (
        f"The evidence reference service at {url} did not respond in time. Nothing was read. Try "
        "again later; if this continues, tell its operator."
    )


def out_of_reach(url: str) -> str:
    """Return the words for a failed connection."""
    return (
        f"The evidence reference service at {url} cannot be reached. Nothing was read. The "
        "person who set up evref-mcp should check that the address (EVREF_URL) is right, that the "
        "service runs, and that this machine can reach it."
    )


def not_understood(url: str) -> str:
    """Return the words for a response that an evref service does not send."""
    return (
        f"The server at {url} does not respond like an evidence reference service. Nothing was "
        "read. The person who set up evref-mcp should check the address (EVREF_URL), and any "
        "proxy in between."
    )


def _in(seconds: str) -> str:
    """Return when, from the seconds of Retry-After; a proxy may send none, or a date."""
    if not seconds.isdecimal():
        return "later"
    minutes = ceil(int(seconds) / 60)
    if minutes <= 1:
        return "in a minute"
    return f"in {minutes // 60} h {minutes % 60} min"
