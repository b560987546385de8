"""The endpoint: read the request, search the catalogue, respond with a feed or a redirect."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.infobutton import atom, knowledge_request
from evref.adapters.inbound.infobutton.knowledge_request import HTML, JSON, RESPONSE_TYPES
from evref.adapters.inbound.infobutton.knowledge_response import KnowledgeResponse
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.negotiation import preferred_media_type
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue


def blueprint(endpoints: CatalogueEndpoints, base_url: str, *, has_pages: bool) -> Blueprint:
    """Return the endpoint. `has_pages` says whether the catalogue has pages to redirect to."""
    pages = Blueprint("infobutton", __name__, template_folder="templates")
    response_types = tuple(each for each in RESPONSE_TYPES if has_pages or each != HTML)

    @pages.get("/infobutton")
    @endpoints(Permission.READ, *response_types, select=_first_if_any_is_accepted)
    def infobutton(
        catalogue: Catalogue,
        media_type: str,  # noqa: ARG001 - a parameter selects it
    ) -> AnyResponse:
        asked = knowledge_request.read(request.args, response_types)
        response = KnowledgeResponse(asked, catalogue, base_url, has_pages)
        if asked.response_type == HTML:
            return redirect(response.page(), HTTPStatus.SEE_OTHER)
        if asked.response_type == JSON:
            return Response(atom.as_json(response.feed()), mimetype=JSON)
        return Response(atom.as_xml(response.feed()), mimetype=asked.response_type)

    return pages


def _first_if_any_is_accepted(accept: str, offers: tuple[str, ...]) -> str:
    return offers[0] if preferred_media_type(accept, offers) else ""
