"""The views: the CapabilityStatement, and reading and searching of each resource type."""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.http import parse_dict_header, parse_options_header

from evref.adapters.inbound.fhir import interactions, search
from evref.adapters.inbound.fhir.conformance import capability_statement
from evref.adapters.inbound.fhir.outcome import MEDIA_TYPE, ROOT, render_problem
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.values import FORMATS
from evref.adapters.inbound.web import query
from evref.adapters.inbound.web.host import Host, Interface
from evref.adapters.inbound.web.problems import NotAcceptableError
from evref.adapters.inbound.web.representations import (
    PUBLIC,
    Representation,
    as_json,
    media_ranges,
    respond,
)
from evref.domain.catalogue.served import Served

# `_format` may accept a format that the Accept header does not.
_NOT_IN_HEADER = "*/*"
_OFFERS = (MEDIA_TYPE, _NOT_IN_HEADER)

_ACCEPTED = {"application/fhir+json", "application/json", "text/json", "application/*", "*/*"}
_VERSIONS = {None, "4.0", "4.0.1"}


def _blueprints(host: Host) -> Iterator[Blueprint]:
    views = Blueprint("fhir", __name__, url_prefix=ROOT)
    endpoint = host.endpoint(*_OFFERS, select=_select)
    capability = Representation(
        [as_json(capability_statement(host.settings.base_url))],
        MEDIA_TYPE,
        vary="Accept, Accept-Encoding",
    )

    @views.get("/metadata")
    def metadata() -> Response:
        search.parse(request.args, search.METADATA)
        _require_json(_select(request.environ.get("HTTP_ACCEPT", ""), _OFFERS), request.args)
        return respond(capability, PUBLIC)

    def search_type(served: Served, media_type: str, resource_type: str) -> Response:
        sent = query.posted_or_sent()
        parameters = search.SEARCH[resource_type]
        ignored: list[str] = []
        # RFC 7240, and R4, search, errors. Parameters of a preference are read as preferences too,
        # because some clients separate preferences with semicolons.
        prefer = request.headers.get("Prefer", "").lower().replace(";", ",")
        preferences = parse_dict_header(prefer)
        if preferences.get("handling") == "lenient":
            ignored = [name for name in sent if not search.is_known(name, parameters)]
            known = [pair for pair in sent.items(multi=True) if pair[0] not in ignored]
            sent = MultiDict(known)
        values = search.parse(sent, parameters)
        _require_json(media_type, sent)
        response = _response(
            interactions.search(
                _resources(host, served), resource_type, served, values, sent, ignored=ignored
            )
        )
        if ignored:
            response.headers["Preference-Applied"] = "handling=lenient"
            response.vary.add("Prefer")
        return response

    def read(served: Served, media_type: str, id: str, resource_type: str) -> Response:
        values = search.parse(request.args, search.READ[resource_type])
        _require_json(media_type, request.args)
        resource = interactions.read(_resources(host, served), resource_type, served, id)
        response = _response(interactions.subset(resource, values))
        if "meta" in resource:
            response.last_modified = datetime.fromisoformat(resource["meta"]["lastUpdated"])
        return response

    def only_post() -> Response:
        raise MethodNotAllowed(["POST"])

    for resource_type in search.SEARCH:
        views.add_url_rule(f"/{resource_type}/_search", f"get_{resource_type}", only_post)
        for path, name, view, method in (
            (f"/{resource_type}", f"search_{resource_type}", search_type, "GET"),
            (f"/{resource_type}/_search", f"post_{resource_type}", search_type, "POST"),
            (f"/{resource_type}/<id>", f"read_{resource_type}", read, "GET"),
        ):
            of_type = partial(view, resource_type=resource_type)
            views.add_url_rule(path, name, endpoint(of_type), methods=[method])
    yield views


def _resources(host: Host, served: Served) -> Resources:
    settings = host.settings
    licence = served.licence(settings.licence)
    return Resources(settings.base_url, settings.canonical_root, served.changed_at, licence)


@lru_cache(maxsize=256)
def _select(accept: str, offers: tuple[str, ...]) -> str:
    """Return the first of `_OFFERS`, or the second if the Accept header accepts no JSON."""
    accepts_json = not accept or any(map(_is_json, media_ranges(accept)))
    return offers[0] if accepts_json else offers[1]


def _is_json(accepted: tuple[str, float]) -> bool:
    text, quality = accepted
    media_type, parameters = parse_options_header(text)
    return quality > 0 and media_type in _ACCEPTED and parameters.get("fhirversion") in _VERSIONS


def _require_json(media_type: str, sent: MultiDict[str, str]) -> None:
    # The parameter overrides the header (R4, http, mime-type).
    if media_type == _NOT_IN_HEADER and "_format" not in sent:
        raise NotAcceptableError(FORMATS[1:])


def _response(resource: dict[str, Any]) -> Response:
    return Response(as_json(resource), content_type=MEDIA_TYPE)


INTERFACE = Interface(ROOT, _blueprints, render_problem, cross_origin=True)
