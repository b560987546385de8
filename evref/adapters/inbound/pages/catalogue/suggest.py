"""Suggestions for the search field while the user types, as JSON."""

import json
from functools import partial
from http import HTTPStatus

from flask import Blueprint, Response, url_for

from evref.adapters.inbound.pages.catalogue.search import OneAtATime
from evref.adapters.inbound.web import query
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.problems import (
    InvalidParametersError,
    ParameterFault,
    SearchBusyError,
)
from evref.adapters.inbound.web.representations import (
    PRIVATE,
    Representation,
    ResponseCache,
    respond,
)
from evref.domain.catalogue.search.suggestions import Suggested
from evref.domain.catalogue.served import Served

LONGEST_TEXT = 64
_PARAMETERS: dict[str, query.Parse] = {"q": partial(query.words, longest=LONGEST_TEXT)}
_MOST = 8
_CACHE_BYTES = 4 * 1024 * 1024


def register(pages: Blueprint, frame: Frame, searches: OneAtATime) -> None:
    """Add the view. While another search runs, it responds with 503, unless the result is cached.

    The script sends a request at each pause in typing, and keeps its suggestions on 503.
    """
    cache: ResponseCache[Representation] = ResponseCache(_CACHE_BYTES)

    @pages.get("/catalogue/suggest")
    def suggest() -> Response:
        asked = query.parse(_PARAMETERS)
        if query.not_understood():
            allowed = (f"text of up to {LONGEST_TEXT} characters",)
            raise InvalidParametersError(ParameterFault("q", "is not understood", allowed))
        served, text = frame.require_served(), asked.get("q", "")
        target = served.catalogue.version, text
        representation = cache.get(target)
        if representation is None:
            try:
                with searches.turn(seconds=0):
                    body = json.dumps({"suggestions": _suggestions(served, text)}).encode()
            except SearchBusyError:
                headers = {"Retry-After": "1"}
                return Response(status=HTTPStatus.SERVICE_UNAVAILABLE, headers=headers)
            representation = Representation([body], "application/json")
            cache.put(target, representation)
        return respond(representation, PRIVATE)


def _suggestions(served: Served, text: str) -> list[dict[str, str]]:
    return [
        {
            "name": suggested.name,
            "matched": suggested.matched,
            "kind": suggested.kind,
            "address": _address(suggested),
        }
        for suggested in served.search.suggest(text, _MOST)
    ]


def _address(suggested: Suggested) -> str:
    if suggested.kind == "wider":
        return url_for("catalogue.index", q=suggested.name)
    address = url_for("catalogue.diagnosis", id=suggested.diagnosis_id)
    return f"{address}#{suggested.intervention_id}" if suggested.intervention_id else address
