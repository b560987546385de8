"""The REST API as an interface of the service: problems are `application/problem+json`."""

from collections.abc import Iterator

from apiflask import APIBlueprint
from flask import Blueprint

from evref.adapters.inbound.rest import openapi
from evref.adapters.inbound.rest.answers import LimitAnswer
from evref.adapters.inbound.rest.catalogue import CatalogueViews
from evref.adapters.inbound.rest.limit import LimitView
from evref.adapters.inbound.rest.operations import ROOT, Operation
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.interfaces import Interface, json_problem


def _blueprints(host: Host) -> Iterator[Blueprint]:
    api = APIBlueprint("api", __name__, url_prefix=ROOT)
    settings = host.settings
    of_catalogue = CatalogueViews(settings.base_url, settings.licence, host.browse).operations()
    for operation in of_catalogue:
        operation.add_to(api, host.endpoint(*operation.media_types))
    limit = LimitView(settings.licence, host.gate, host.browse)
    of_key = Operation("/limit", limit.get_limit, NoQuery, LimitAnswer)
    of_key.add_to(api, limit.endpoint)
    yield api
    yield openapi.blueprint(settings.base_url, [*of_catalogue, of_key], host.example)


INTERFACE = Interface("/api", _blueprints, json_problem, cross_origin=True)
