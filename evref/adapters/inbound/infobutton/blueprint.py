"""The endpoint: read the request, search the catalogue, respond with a feed or a redirect."""

from collections.abc import Iterator
from http import HTTPStatus

from flask import Blueprint, Response, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.infobutton import knowledge_request
from evref.adapters.inbound.infobutton.knowledge_request import HTML, JSON, RESPONSE_TYPES
from evref.adapters.inbound.infobutton.knowledge_response import KnowledgeResponse, search_page
from evref.adapters.inbound.infobutton.problems import render_problem
from evref.adapters.inbound.web import atom
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.interfaces import Interface
from evref.adapters.inbound.web.representations import PRIVATE, preferred_media_type
from evref.domain.access.key import Permission
from evref.domain.catalogue.served import Served


def _blueprints(host: Host) -> Iterator[Blueprint]:
    base_url, has_pages = host.settings.base_url, not host.frame.is_off
    pages = Blueprint("infobutton", __name__, template_folder="templates")
    response_types = tuple(kind for kind in RESPONSE_TYPES if has_pages or kind != HTML)

    @host.endpoint(Permission.READ, *response_types, select=_first_if_any_is_accepted)
    def with_key(
        served: Served,
        media_type: str,  # noqa: ARG001 - a parameter selects it
    ) -> AnyResponse:
        asked = knowledge_request.read(request.args, response_types, served)
        response = KnowledgeResponse(asked, served, base_url, has_pages)
        if asked.response_type == HTML:
            return redirect(response.page(), HTTPStatus.SEE_OTHER)
        if asked.response_type == JSON:
            return Response(atom.as_json(response.feed()), mimetype=JSON)
        return Response(atom.as_xml(response.feed()), mimetype=asked.response_type)

    @pages.get("/infobutton")
    def infobutton() -> AnyResponse:
        # A record system opens the page in a browser, which has no key.
        if has_pages and knowledge_request.response_type(request.args) == HTML:
            served = host.frame.served
            if served is not None:
                asked = knowledge_request.read(request.args, response_types, served)
                return _in_browser(KnowledgeResponse(asked, served, base_url, has_pages).page())
            if "Authorization" not in request.headers:
                asked = knowledge_request.read(request.args, response_types, host.browse.current())
                sign_in = host.sign_in_address(search_page(asked))
                if sign_in is not None:
                    return _in_browser(sign_in)
        return make_response(with_key())

    yield pages


def _in_browser(address: str) -> AnyResponse:
    response = redirect(address, HTTPStatus.SEE_OTHER)
    response.headers["Cache-Control"] = PRIVATE
    response.headers["Vary"] = "Cookie"
    return response


def _first_if_any_is_accepted(accept: str, offers: tuple[str, ...]) -> str:
    return offers[0] if preferred_media_type(accept, offers) else ""


INTERFACE = Interface("/infobutton", _blueprints, render_problem, cross_origin=True)
