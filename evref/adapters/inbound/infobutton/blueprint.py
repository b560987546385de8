"""The endpoint: read the request, search the catalogue, respond with a feed or a page."""

from collections.abc import Iterator
from http import HTTPStatus
from io import BytesIO

from flask import Blueprint, Response, current_app, flash, g, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from evref.adapters.inbound.infobutton import knowledge_request
from evref.adapters.inbound.infobutton.knowledge_request import HTML, JSON, RESPONSE_TYPES
from evref.adapters.inbound.infobutton.knowledge_response import KnowledgeResponse, search_page
from evref.adapters.inbound.web import atom, query
from evref.adapters.inbound.web.host import Host, Interface
from evref.adapters.inbound.web.problems import json_problem
from evref.adapters.inbound.web.representations import NEVER, PRIVATE, preferred_media_type
from evref.domain.catalogue.served import Served

_AFTER_SIGN_IN = "After you have signed in, press the info button of the record again."


def _blueprints(host: Host) -> Iterator[Blueprint]:
    base_url, has_pages = host.settings.base_url, not host.frame.is_off
    views = Blueprint("infobutton", __name__, template_folder="templates")
    response_types = tuple(kind for kind in RESPONSE_TYPES if has_pages or kind != HTML)

    @host.endpoint(*response_types, select=_first_if_any_is_accepted)
    def with_key(
        served: Served,
        media_type: str,  # noqa: ARG001 - a parameter selects it
    ) -> AnyResponse:
        parsed = knowledge_request.parse(query.posted_or_sent(), response_types, served)
        response = KnowledgeResponse(parsed, served, base_url, has_pages)
        if parsed.response_type == HTML:
            return _to_page(host, response.page())
        if parsed.response_type == JSON:
            return Response(atom.as_json(response.feed()), mimetype=JSON)
        return Response(atom.as_xml(response.feed()), mimetype=parsed.response_type)

    @views.route("/infobutton", methods=["GET", "POST"])
    def infobutton() -> AnyResponse:
        response_type = knowledge_request.response_type(query.posted_or_sent())
        # A record system opens the page in a browser, which has no key.
        page = _without_key(host) if has_pages and response_type == HTML else None
        return page or make_response(with_key())

    yield views


def _without_key(host: Host) -> AnyResponse | None:
    """Return the page for a browser that may read it, or the sign-in page; None if with a key."""
    served, base_url = host.frame.served, host.settings.base_url
    parsed = knowledge_request.parse(
        query.posted_or_sent(), RESPONSE_TYPES, served or host.browse.current()
    )
    address: str | None
    if served is not None:
        address = KnowledgeResponse(parsed, served, base_url, has_pages=True).page()
    elif "Authorization" not in request.headers:
        address = host.sign_in_address(search_page(parsed.criteria, parsed.only_module()))
    else:
        address = None
    if address is None:
        return None
    response = _to_page(host, address)
    if request.method != "POST":
        response.headers["Cache-Control"] = PRIVATE
        response.headers["Vary"] = "Cookie"
    return response


def _to_page(host: Host, address: str) -> AnyResponse:
    """Redirect to a page; answer a POST with the page, or with the sign-in page without codes."""
    if request.method != "POST":
        return redirect(address, HTTPStatus.SEE_OTHER)
    sign_in = None if host.frame.served else host.sign_in_address("/catalogue")
    if sign_in is not None:
        return _page(sign_in, host.settings.base_url, _AFTER_SIGN_IN)
    return _page(address, host.settings.base_url)


def _page(address: str, base_url: str, message: str | None = None) -> Response:
    """Return the page at an address of this service, or the page to which it redirects."""
    path, _, query = address.removeprefix(base_url).removeprefix(request.script_root).partition("?")
    environ = {
        name: value
        for name, value in request.environ.items()
        if not name.startswith(("werkzeug.", "HTTP_IF_", "CONTENT_"))
    }
    environ |= {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query}
    environ["wsgi.input"] = BytesIO()
    with current_app.request_context(environ):
        if message is not None and "secret_error" not in g:
            flash(message)
        response = current_app.full_dispatch_request()
    if response.status_code == HTTPStatus.SEE_OTHER:
        return _page(response.location or "", base_url, message)
    del response.headers["ETag"]
    response.headers["Cache-Control"] = NEVER
    return response


def _first_if_any_is_accepted(accept: str, offers: tuple[str, ...]) -> str:
    return offers[0] if preferred_media_type(accept, offers) else ""


INTERFACE = Interface("/infobutton", _blueprints, json_problem, cross_origin=True)
