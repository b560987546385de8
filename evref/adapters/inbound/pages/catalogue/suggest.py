"""Suggestions while one types in the search field: diagnoses, as JSON for the script."""

import json
import threading
from functools import partial
from http import HTTPStatus

from cachetools import LRUCache
from flask import Blueprint, Response, url_for

from evref.adapters.inbound.pages import query
from evref.adapters.inbound.pages.frame import Frame
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.adapters.inbound.web.representations import PRIVATE, Representation, respond
from evref.domain.catalogue.catalogue import Catalogue

LONGEST_TEXT = 64
_PARAMETERS: dict[str, query.Parse] = {"q": partial(query.words, longest=LONGEST_TEXT)}
_MOST = 8
_MOST_KEPT = 1024


def register(pages: Blueprint, frame: Frame) -> None:
    """Add the view. It does one search at a time; the others get 503, unless it was done before.

    The script asks with every pause in typing, and keeps what it has.
    """
    searching, keeping = threading.Lock(), threading.Lock()
    found: LRUCache[tuple[str, str], Representation] = LRUCache(_MOST_KEPT)

    @pages.get("/catalogue/suggest")
    def suggest() -> Response:
        asked = query.read(_PARAMETERS)
        if query.not_understood():
            allowed = (f"text of up to {LONGEST_TEXT} characters",)
            raise InvalidParametersError(ParameterFault("q", "is not understood", allowed))
        catalogue, text = frame.require_catalogue(), asked.get("q", "")
        target = catalogue.version, text
        with keeping:
            kept = found.get(target)
        if kept is None:
            if not searching.acquire(blocking=False):
                headers = {"Retry-After": "1"}
                return Response(status=HTTPStatus.SERVICE_UNAVAILABLE, headers=headers)
            try:
                body = json.dumps({"suggestions": _suggestions(catalogue, text)}).encode()
            finally:
                searching.release()
            kept = Representation([body], "application/json")
            with keeping:
                found[target] = kept
        return respond(kept, PRIVATE)


def _suggestions(catalogue: Catalogue, text: str) -> list[dict[str, str]]:
    if not text:
        return []
    findings = catalogue.named(text)
    found = {hit.diagnosis_id: hit.matched for hit in findings.hits} or {
        each.diagnosis_id: each.term for each in findings.suggestions
    }
    names = {each: catalogue.entry(each).diagnosis.name for each in found}
    return [
        {
            "name": names[each],
            "matched": "" if found[each] == names[each] else found[each],
            "address": url_for("catalogue.diagnosis", id=each),
        }
        for each in list(found)[:_MOST]
    ]
