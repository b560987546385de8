"""The REST API as an interface of the service: problems are `application/problem+json`."""

from collections.abc import Iterator

from flask import Blueprint

from evref.adapters.inbound.rest import catalogue, limit, openapi
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.interfaces import Interface, json_problem


def _blueprints(host: Host) -> Iterator[Blueprint]:
    base_url, licence = host.settings.base_url, host.settings.licence
    yield catalogue.blueprint(host.endpoint, base_url, licence, host.browse)
    yield limit.blueprint(host.gate, host.browse, licence)
    yield openapi.blueprint(base_url)


INTERFACE = Interface("/api", _blueprints, json_problem, cross_origin=True)
