"""The pages for readers as an interface of the service; it has every path that no other has."""

from collections.abc import Iterator

from flask import Blueprint

from evref.adapters.inbound.pages import reference
from evref.adapters.inbound.pages.catalogue import blueprint as catalogue
from evref.adapters.inbound.web.host import Host, Interface


def _blueprints(host: Host) -> Iterator[Blueprint]:
    yield reference.blueprint(host)
    yield catalogue.blueprint(host)


INTERFACE = Interface("/", _blueprints)
