"""The views: the CapabilityStatement, and reading and searching of each resource type."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from evref.adapters.inbound.fhir import search
from evref.adapters.inbound.fhir.bundle import searchset
from evref.adapters.inbound.fhir.capability import capability_statement
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    PLAN_DEFINITION,
    Indexes,
    Item,
)
from evref.adapters.inbound.fhir.interface import FHIR, MEDIA_TYPE
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.problems import NotAcceptableError
from evref.adapters.inbound.web.representations import PUBLIC, Representation, respond
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.matching import best_relations
from evref.domain.catalogue.remarks import remarks
from evref.domain.errors import NotFoundError

# The parameter `_format` may still accept what the Accept header does not.
_NOT_IN_HEADER = "*/*"
_OFFERS = (MEDIA_TYPE, _NOT_IN_HEADER)

_ACCEPTED = {"application/fhir+json", "application/json", "text/json", "application/*", "*/*"}
_VERSIONS = {None, "4.0", "4.0.1"}


def blueprint(endpoints: CatalogueEndpoints, base_url: str) -> Blueprint:
    """Return the views of a service at `base_url`. All but the first need a key that may read."""
    views = Blueprint("fhir", __name__, url_prefix=FHIR.root)
    endpoint = endpoints(Permission.READ, *_OFFERS, select=_select)
    resources = Resources(base_url)
    indexes = Indexes()
    capability = _representation(capability_statement(base_url))

    @views.get("/metadata")
    def metadata() -> Response:
        search.read(request.args, search.FORMAT)
        _require_json(_select(request.headers.get("Accept", ""), _OFFERS))
        return respond(capability, PUBLIC)

    def search_type(
        catalogue: Catalogue,
        media_type: str,
        resource_type: str,
        render: Callable[[Item], dict[str, Any]],
    ) -> Response:
        values = search.read(request.args, search.SEARCH)
        _require_json(media_type)
        matches = catalogue.matches(values.get("context", ()))
        relations = best_relations(matches)
        found = search.matching(indexes.of(catalogue), resource_type, values, relations)

        def entry(item: Item) -> dict[str, Any]:
            relation = relations.get(item.entry.diagnosis.id)
            return {"resource": render(item), "search": resources.search_of(relation)}

        return _response(
            searchset(
                found,
                values,
                request.args.to_dict(),
                resources.address(resource_type),
                entry,
                outcome=resources.outcome(remarks(matches, catalogue)),
            )
        )

    def read(
        catalogue: Catalogue,
        media_type: str,
        id: str,  # noqa: A002 - the public name in the path
        resource_type: str,
        render: Callable[[Item], dict[str, Any]],
    ) -> Response:
        search.read(request.args, search.FORMAT)
        _require_json(media_type)
        item = indexes.of(catalogue).of(resource_type).get(id)
        if item is None:
            raise NotFoundError(resource_type, id)
        return _response(render(item))

    for resource_type, render in (
        (PLAN_DEFINITION, resources.plan_definition),
        (ACTIVITY_DEFINITION, resources.activity_definition),
    ):
        for path, name, view in (
            (f"/{resource_type}", f"search_{resource_type}", search_type),
            (f"/{resource_type}/<id>", f"read_{resource_type}", read),
        ):
            of_type = partial(view, resource_type=resource_type, render=render)
            views.add_url_rule(path, name, endpoint(of_type), methods=["GET"])
    return views


@lru_cache(maxsize=256)
def _select(accept: str, offers: tuple[str, ...]) -> str:
    """Return the first of `_OFFERS`, or the second if the Accept header accepts no JSON."""
    accepted = parse_accept_header(accept, MIMEAccept)
    return offers[0] if not accept or any(map(_is_json, accepted)) else offers[1]


def _is_json(accepted: tuple[str, float]) -> bool:
    text, quality = accepted
    media_type, parameters = parse_options_header(text)
    return quality > 0 and media_type in _ACCEPTED and parameters.get("fhirversion") in _VERSIONS


def _require_json(media_type: str) -> None:
    # The parameter overrides the header (R4, http, mime-type).
    if media_type == _NOT_IN_HEADER and "_format" not in request.args:
        raise NotAcceptableError(search.FORMATS[1:])


def _response(resource: dict[str, Any]) -> Response:
    return Response(_bytes(resource), content_type=MEDIA_TYPE)


def _representation(resource: dict[str, Any]) -> Representation:
    return Representation([_bytes(resource)], MEDIA_TYPE, vary="Accept, Accept-Encoding")


def _bytes(resource: dict[str, Any]) -> bytes:
    return json.dumps(resource, ensure_ascii=False, separators=(",", ":")).encode()
