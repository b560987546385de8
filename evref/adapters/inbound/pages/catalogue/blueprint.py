"""The pages: `/catalogue`, one for each diagnosis, and `/evidence`, which explains them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from apiflask import APIBlueprint
from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.pages import query
from evref.adapters.inbound.pages.catalogue import drawing, words
from evref.adapters.inbound.pages.catalogue.search import CLASSIFICATIONS, search
from evref.adapters.inbound.pages.catalogue.suggest import Suggestions
from evref.adapters.inbound.pages.frame import Frame
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.matching import Relation
from evref.domain.catalogue.vocabulary import MEANINGS
from evref.domain.redaction import has_key

_INDEX, _DIAGNOSIS, _EVIDENCE = "catalogue.index", "catalogue.diagnosis", "catalogue.evidence"

PARAMETERS: dict[str, dict[str, query.Parse]] = {
    _INDEX: {"q": query.words, "module": query.one_of(*Module)},
    _DIAGNOSIS: {"module": query.one_of(*Module), "phase": query.one_of(*Phase)},
}
"""The query parameters of each page."""


def blueprint(frame: Frame, base_url: str) -> Blueprint:
    """Return the pages. `base_url` is the address of the service for programs."""
    pages = APIBlueprint("catalogue", __name__, enable_openapi=False, template_folder="templates")

    @pages.before_request
    def require_reader() -> AnyResponse | None:
        # This page reveals nothing about the catalogue to visitors who may not read it.
        if request.endpoint == _EVIDENCE or frame.readers.admits(member=False):
            return None
        return None if frame.is_member_for_certain() else _to_sign_in()

    @pages.context_processor
    def offer() -> dict[str, Any]:
        return {
            "words": words,
            "classifications": CLASSIFICATIONS,
            "drawing": drawing,
            "Module": Module,
            "Phase": Phase,
            "Direction": Direction,
            "Relation": Relation,
            "meanings": MEANINGS,
            "base_url": base_url,
        }

    @pages.get("/evidence")
    def evidence() -> Response:
        return frame.page("catalogue/evidence.html", lambda: _evidence_context(frame.catalogue))

    if frame.is_off:
        return pages

    Suggestions(frame).register(pages)

    @pages.get("/catalogue")
    def index() -> AnyResponse:
        asked = query.read(PARAMETERS[_INDEX])
        catalogue = frame.require_catalogue()
        found = search(catalogue, asked.get("q"), asked.get("module"))
        if found.meant is not None and "module" not in asked:
            return _to(url_for(_DIAGNOSIS, id=found.meant.diagnosis.id))
        return frame.page(
            "catalogue/index.html",
            lambda: {
                "catalogue": catalogue,
                "asked": _with_none(_INDEX, asked),
                "narrowed": bool(asked),
                "found": found,
            },
            asked=asked,
        )

    @pages.get("/catalogue/<id>")
    def diagnosis(id: str) -> Response:  # noqa: A002 - the name that the path has in public
        asked = query.read(PARAMETERS[_DIAGNOSIS])
        catalogue = frame.require_catalogue()
        entry = catalogue.entry(id)
        return frame.page(
            "catalogue/diagnosis.html",
            lambda: _diagnosis_context(catalogue, entry, asked),
            asked=asked,
        )

    return pages


def _to_sign_in() -> AnyResponse:
    """Redirect to the sign-in page and later back, alike for existing and unknown pages."""
    asked = query.read(PARAMETERS.get(request.endpoint or "", {}))
    onwards = request.path + (f"?{query.normalized(asked)}" if asked else "")
    if has_key(onwards):
        onwards = url_for(_INDEX)
    return _to(url_for("settings.sign_in", next=onwards))


def _to(address: str) -> AnyResponse:
    response = redirect(address, HTTPStatus.SEE_OTHER)
    response.headers["Cache-Control"] = "no-store"
    return response


def _with_none(endpoint: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of the page; those that were not given are None."""
    return dict.fromkeys(PARAMETERS[endpoint]) | asked


def _diagnosis_context(catalogue: Catalogue, entry: Entry, asked: dict[str, Any]) -> dict[str, Any]:
    shown = entry.visible_interventions(asked.get("module"), asked.get("phase"))
    everything = entry.visible_interventions()
    references = {each: None for one in everything for each in one.references}
    return {
        "catalogue": catalogue,
        "entry": entry,
        "diagnosis": entry.diagnosis,
        "asked": _with_none(_DIAGNOSIS, asked),
        "narrowed": bool(asked),
        "shown": shown,
        "everything": everything,
        "rows": drawing.evidence_map(entry),
        "reference_count": len(references),
        "by_direction": {
            direction: [each for each in everything if each.evidence.direction is direction]
            for direction in Direction
        },
    }


def _evidence_context(catalogue: Catalogue | None) -> dict[str, Any]:
    entries = () if catalogue is None else catalogue.entries
    graded = [each.evidence for entry in entries for each in entry.visible_interventions()]

    def count(of: Callable[[Any], Any]) -> Counter[Any]:
        return Counter(map(of, graded))

    return {
        "catalogue": catalogue,
        "total": len(graded),
        "counts": count(lambda evidence: evidence.direction)
        + count(lambda evidence: evidence.certainty)
        + count(lambda evidence: evidence.recommendation),
        "Certainty": Certainty,
        "Recommendation": Recommendation,
    }
