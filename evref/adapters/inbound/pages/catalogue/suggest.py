"""Suggestions for the search field while the user types, as JSON."""

import json
from functools import lru_cache, partial
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
from evref.adapters.inbound.web.representations import PRIVATE, Representation, respond
from evref.domain.catalogue.search.suggestions import Suggested

LONGEST_TEXT = 64
_PARAMETERS: dict[str, query.Parse] = {"q": partial(query.words, longest=LONGEST_TEXT)}
_MOST = 8
_MOST_CACHED = 4096
"""Texts; the suggestions for one take about a kilobyte."""


def register(pages: Blueprint, frame: Frame, searches: OneAtATime) -> None:
    """Add the view. While another search runs, it responds with 503, unless the result is cached.

    The script sends a request at each pause in typing, and keeps its suggestions on 503.
    """

    @lru_cache(_MOST_CACHED)
    def suggestions(version: str, text: str) -> Representation:  # noqa: ARG001 - for the cache
        with searches.turn(seconds=0):
            found = frame.require_served().search.suggest(text, _MOST)
        members = [
            {
                "name": suggested.name,
                "matched": suggested.matched,
                "kind": suggested.kind,
                "address": _address(suggested),
            }
            for suggested in found
        ]
        return Representation([json.dumps({"suggestions": members}).encode()], "application/json")

    @pages.get("/catalogue/suggest")
    def suggest() -> Response:
        parameters = query.parse(_PARAMETERS)
        if query.not_understood():
            allowed = (f"text of up to {LONGEST_TEXT} characters",)
            raise InvalidParametersError(ParameterFault("q", "is not understood", allowed))
        version = frame.require_served().catalogue.version
        try:
            return respond(suggestions(version, parameters.get("q", "")), PRIVATE)
        except SearchBusyError:
            return Response(status=HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "1"})


def _address(suggested: Suggested) -> str:
    if suggested.kind == "wider":
        return url_for("catalogue.index", q=suggested.name)
    address = url_for("catalogue.diagnosis", id=suggested.diagnosis_id)
    return f"{address}#{suggested.intervention_id}" if suggested.intervention_id else address
