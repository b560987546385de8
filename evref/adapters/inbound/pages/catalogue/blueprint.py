"""The pages `/catalogue`, `/catalogue/{id}` and `/evidence`, which explains the evidence."""

from collections import Counter
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.pages.catalogue import changes, drawing, ris, suggest
from evref.adapters.inbound.pages.catalogue.search import (
    CLASSIFICATIONS,
    OneAtATime,
    Results,
)
from evref.adapters.inbound.web import query, words
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.representations import Representation
from evref.domain.catalogue import in_words
from evref.domain.catalogue.catalogue import Catalogue, by_chapter, chapter_of
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.effect import Better, Effect, Interval, Measure, Per1000
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    CardGroup,
    Certainty,
    Direction,
    Recommendation,
    Reference,
)
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.served import Served
from evref.domain.errors import UnknownDiagnosisError
from evref.domain.redaction import has_key
from evref.domain.rules import folded

_MOST_OFFERED = 8
_INDEX, _DIAGNOSIS, _EVIDENCE = "catalogue.index", "catalogue.diagnosis", "catalogue.evidence"
PARAMETERS: dict[str, dict[str, query.Parse]] = {
    _INDEX: {
        "q": query.words,
        "module": query.one_of(*Module),
        "by": query.one_of("group"),
        "results": query.one_of("all"),
    },
    _DIAGNOSIS: {
        "module": query.one_of(*Module),
        "phase": query.one_of(*Phase),
        "print": query.one_of("full"),
        "searched": query.words,
    },
    changes.PAGE: changes.PARAMETERS,
}
"""The query parameters of each page."""


def blueprint(host: Host) -> Blueprint:
    frame, base_url, contact = host.frame, host.settings.base_url, host.settings.contact
    pages = frame.blueprint("catalogue", __name__, template_folder="templates")
    frame.parameters |= PARAMETERS
    # The front page shows a card too.
    pages.app_context_processor(lambda: {"in_words": in_words, "drawing": drawing})

    @pages.before_request
    def require_reader() -> AnyResponse | None:
        # Visitors who may not read the catalogue see `/evidence` without its counts.
        is_open = request.endpoint in {_EVIDENCE, changes.FEED} or frame.is_public
        return None if is_open or host.visitor.signed_in() is not None else _to_sign_in()

    pages.context_processor(lambda: {"Module": Module, "Phase": Phase, "Direction": Direction})

    @pages.get("/evidence")
    def evidence() -> Response:
        return frame.page("catalogue/evidence.html", lambda: _evidence_context(frame.catalogue))

    if frame.is_off:
        return pages

    searches = OneAtATime()
    suggest.register(pages, frame, searches)
    changes.register(pages, frame, base_url, host.settings.operator)

    @pages.get("/catalogue")
    def index() -> AnyResponse:
        parameters = query.parse(PARAMETERS[_INDEX])
        served = frame.require_served()
        results = searches.results(served, parameters.get("q"), parameters.get("module"))
        meant = results.meant(frame.language)
        if meant is not None and not parameters.keys() & {"module", "results"}:
            address = url_for(_DIAGNOSIS, id=meant.diagnosis.id, searched=parameters["q"])
            return redirect(address, HTTPStatus.SEE_OTHER)
        return frame.page(
            f"catalogue/{'results' if 'q' in parameters else 'index'}.html",
            lambda: _index_context(served.catalogue, parameters, results),
            parameters=parameters,
        )

    @pages.get("/catalogue/<id>")
    def diagnosis(id: str) -> Response:
        parameters = query.parse(PARAMETERS[_DIAGNOSIS])
        served = frame.require_served()
        entry = _entry(served, id, searches)
        return frame.page(
            "catalogue/diagnosis.html",
            lambda: {
                **_diagnosis_context(served.catalogue, entry, parameters),
                "read_as": _read_as(served, entry, parameters.get("searched"), searches),
                "language": frame.language,
                "history": changes.history(served, id),
                "local_name": next(iter(entry.diagnosis.terms.get(frame.language, ())), None)
                if frame.language != "en"
                else None,
                "report": contact
                and words.report_link(contact, id, entry.version, f"{base_url}{request.path}"),
            },
            parameters=parameters,
        )

    @pages.get("/catalogue/<id>.ris")
    def references(id: str) -> Response:
        entry = frame.require_served().entry(id)
        file = ("Content-Disposition", f'attachment; filename="{entry.diagnosis.id}.ris"')
        return frame.respond(
            Representation(
                [ris.as_ris(_works(entry)).encode()], f"{ris.MEDIA_TYPE}; charset=utf-8", (file,)
            )
        )

    return pages


def _entry(served: Served, diagnosis_id: str, searches: OneAtATime) -> Entry:
    """Return the entry of a diagnosis; if it does not exist, search for its id.

    The error page offers the ids of what the search finds, or else similar ones.
    """
    try:
        return served.entry(diagnosis_id)
    except UnknownDiagnosisError:
        results = searches.results(served, diagnosis_id.replace("-", " "))
        answers = (intervention.diagnosis_id for intervention in results.answers.interventions)
        found = [entry.diagnosis.id for entry in results.found.entries] or [*dict.fromkeys(answers)]
        g.nearest_ids = found[:_MOST_OFFERED] or served.catalogue.nearest_ids(diagnosis_id)
        raise


def _read_as(
    served: Served, entry: Entry, searched: str | None, searches: OneAtATime
) -> str | None:
    """Return the name, term or code by which the search text led to this entry."""
    if searched is None:
        return None
    found = searches.results(served, searched).found
    if entry not in found.entries:
        return None
    if found.codes:
        return found.codes[0].read_as
    matched = next(hit.matched for hit in found.hits if hit.diagnosis_id == entry.diagnosis.id)
    return entry.diagnosis.name if _letters(matched) == _letters(searched) else matched


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, folded(text)))


def _to_sign_in() -> AnyResponse:
    """Redirect to the sign-in page, and afterwards back, whether or not the page exists."""
    parameters = query.parse(PARAMETERS.get(request.endpoint or "", {}))
    onwards = request.path + (f"?{query.normalized(parameters)}" if parameters else "")
    if has_key(onwards):
        onwards = url_for(_INDEX)
    return redirect(url_for("settings.sign_in", next=onwards), HTTPStatus.SEE_OTHER)


def _index_context(
    catalogue: Catalogue, parameters: dict[str, Any], results: Results
) -> dict[str, Any]:
    found = results.found
    context = {
        "catalogue": catalogue,
        "results": results,
        "classifications": CLASSIFICATIONS,
    }
    if "q" not in parameters:
        return context | {"groups": _grouped(found.entries, by_group="by" in parameters)}
    # The named diagnosis first, then as found; exercises first if the question asks for them.
    by_diagnosis: dict[str, list[Intervention]] = {
        entry.diagnosis.id: [] for entry in found.entries
    }
    read = (*results.answers.read, *found.read)
    asks_exercise = any("exercis" in (piece.meaning or "").lower() for piece in read)
    shown = results.answers.interventions if results.asks or not found.entries else ()
    for intervention in shown:
        by_diagnosis.setdefault(intervention.diagnosis_id, []).append(intervention)
    if asks_exercise:
        for interventions in by_diagnosis.values():
            interventions.sort(key=lambda intervention: intervention.fitt_vp is None)
    answered = [
        (catalogue.entry(diagnosis_id), interventions)
        for diagnosis_id, interventions in by_diagnosis.items()
        if interventions
    ]
    return context | {
        "answered": answered,
        "asks_exercise": asks_exercise,
        "phases": {entry.diagnosis.id: entry.commonest_phase for entry, _ in answered},
        "hits": {hit.diagnosis_id: hit for hit in found.hits},
    }


def _grouped(entries: tuple[Entry, ...], *, by_group: bool) -> dict[str, list[Entry]]:
    """Return the entries by chapter of ICD-10, or by the first letter of their names."""
    if by_group:
        return by_chapter(entries)
    letters: dict[str, list[Entry]] = {}
    for entry in entries:
        letters.setdefault(folded(entry.diagnosis.name)[:1].upper(), []).append(entry)
    return letters


def _works(entry: Entry) -> dict[Reference, int]:
    """Return the references of the visible interventions, numbered in the order of the card."""
    works = dict.fromkeys(
        work for intervention in entry.in_card_order() for work in intervention.references
    )
    return {work: number for number, work in enumerate(works, start=1)}


def _diagnosis_context(
    catalogue: Catalogue, entry: Entry, parameters: dict[str, Any]
) -> dict[str, Any]:
    everything = entry.visible_interventions()
    module, phase = parameters.get("module"), parameters.get("phase")
    works = _works(entry)
    exercises = [
        intervention
        for intervention in entry.in_card_order(module, phase)
        if intervention.module is Module.FITT_VIP
    ]
    is_doses = module is Module.FITT_VIP
    used = {work for intervention in exercises for work in intervention.references}
    return {
        "catalogue": catalogue,
        "entry": entry,
        "diagnosis": entry.diagnosis,
        "shown": entry.visible_interventions(module, phase),
        "everything": everything,
        "card": entry.card(module, phase),
        "phase": entry.commonest_phase,
        "exercises": exercises,
        "is_doses": is_doses,
        "scales": drawing.scales(everything),
        "works": works,
        "cited": [work for work in works if work in used] if is_doses else [*works],
        "chapter": chapter_of(entry.diagnosis),
        "related": catalogue.related(entry.diagnosis),
        "description": words.dose_summary(exercises)
        if is_doses and exercises
        else words.summary(entry),
    }


_EXAMPLE = Effect(
    outcome="A fall within a year",
    comparison="usual care",
    measure=Measure.RISK_RATIO,
    estimate=Decimal("0.70"),
    interval=Interval(Decimal("0.58"), Decimal("0.85")),
    unit=None,
    better=Better.LOWER,
    per_1000=Per1000(Decimal(162), Decimal(114)),
    studies=4,
    participants=1280,
    certainty=Certainty.MODERATE,
    reference=0,
)
"""An invented effect, to be explained."""


def _evidence_context(catalogue: Catalogue | None) -> dict[str, Any]:
    entries = () if catalogue is None else catalogue.entries
    graded = [
        intervention.evidence for entry in entries for intervention in entry.visible_interventions()
    ]
    return {
        "catalogue": catalogue,
        "total": len(graded),
        "counts": Counter(
            value
            for evidence in graded
            for value in (evidence.direction, evidence.certainty, evidence.recommendation)
        ),
        "example": _EXAMPLE,
        "scales": {drawing.unit(_EXAMPLE): drawing.Scale(-0.9, 0.9, None)},
        "CardGroup": CardGroup,
        "Certainty": Certainty,
        "Recommendation": Recommendation,
    }
