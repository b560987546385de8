"""The endpoint: read the request, search the catalogue, respond with a feed or a redirect."""

from collections.abc import Callable
from http import HTTPStatus

from flask import Blueprint, Response, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.infobutton import knowledge_request
from evref.adapters.inbound.infobutton.knowledge_request import HTML, JSON, RESPONSE_TYPES
from evref.adapters.inbound.infobutton.knowledge_response import KnowledgeResponse
from evref.adapters.inbound.web import atom
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.representations import PRIVATE, preferred_media_type
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue


def blueprint(
    endpoints: CatalogueEndpoints,
    base_url: str,
    read_pages: Callable[[], Catalogue | None],
    *,
    has_pages: bool,
) -> Blueprint:
    """Return the endpoint. `has_pages` says whether the catalogue has pages to redirect to.

    `read_pages` returns the catalogue if whoever asks may read its pages.
    """
    pages = Blueprint("infobutton", __name__, template_folder="templates")
    response_types = tuple(each for each in RESPONSE_TYPES if has_pages or each != HTML)

    @endpoints(Permission.READ, *response_types, select=_first_if_any_is_accepted)
    def with_key(
        catalogue: Catalogue,
        media_type: str,  # noqa: ARG001 - a parameter selects it
    ) -> AnyResponse:
        asked = knowledge_request.read(request.args, response_types)
        response = KnowledgeResponse(asked, catalogue, base_url, has_pages)
        if asked.response_type == HTML:
            return _to_page(response)
        if asked.response_type == JSON:
            return Response(atom.as_json(response.feed()), mimetype=JSON)
        return Response(atom.as_xml(response.feed()), mimetype=asked.response_type)

    @pages.get("/infobutton")
    def infobutton() -> AnyResponse:
        # A record opens the page in a browser, which has no key.
        if has_pages and knowledge_request.response_type(request.args) == HTML:
            catalogue = read_pages()
            if catalogue is not None:
                asked = knowledge_request.read(request.args, response_types)
                found = _to_page(KnowledgeResponse(asked, catalogue, base_url, has_pages))
                found.headers["Cache-Control"] = PRIVATE
                found.headers["Vary"] = "Cookie"
                return found
        return make_response(with_key())

    return pages


def _to_page(response: KnowledgeResponse) -> AnyResponse:
    return redirect(response.page(), HTTPStatus.SEE_OTHER)


def _first_if_any_is_accepted(accept: str, offers: tuple[str, ...]) -> str:
    return offers[0] if preferred_media_type(accept, offers) else ""
