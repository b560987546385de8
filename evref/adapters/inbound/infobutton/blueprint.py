"""The endpoint: read the request, search the catalogue, respond with a feed or a redirect."""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.infobutton import atom, knowledge_request
from evref.adapters.inbound.infobutton.knowledge_request import HTML, JSON, XML
from evref.adapters.inbound.infobutton.knowledge_response import KnowledgeResponse
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue


def blueprint(endpoints: CatalogueEndpoints, base_url: str, *, has_pages: bool) -> Blueprint:
    """Return the endpoint. `has_pages` says whether the catalogue has pages to redirect to."""
    pages = Blueprint("infobutton", __name__, template_folder="templates")
    response_types = (XML, JSON, HTML) if has_pages else (XML, JSON)

    @pages.get("/infobutton")
    @endpoints(Permission.READ, XML)
    def infobutton(catalogue: Catalogue) -> AnyResponse:
        asked = knowledge_request.read(request.args, response_types)
        response = KnowledgeResponse(asked, catalogue, base_url, has_pages)
        if asked.response_type == HTML:
            return redirect(response.page(), HTTPStatus.SEE_OTHER)
        if asked.response_type == JSON:
            return Response(atom.as_json(response.feed()), mimetype=JSON)
        # The media type that was requested, which is also MedlinePlus Connect's.
        return Response(atom.as_xml(response.feed()), mimetype=XML)

    return pages
