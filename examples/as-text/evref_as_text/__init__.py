"""An interface of evref that serves the interventions of a diagnosis as lines of text."""

from collections.abc import Iterator

from flask import Blueprint, Response

from evref.adapters.inbound.web.host import Host, Interface
from evref.adapters.inbound.web.problems import json_problem
from evref.domain.catalogue.served import Served


def blueprints(host: Host) -> Iterator[Blueprint]:
    text = Blueprint("text", __name__, url_prefix="/text")
    bullet = host.settings.of_interface("text").get("bullet", "-")

    @text.get("/<id>")
    @host.endpoint("text/plain")
    def diagnosis(served: Served, id: str) -> Response:
        interventions = served.entry(id).visible_interventions()
        lines = [f"{bullet} {one.title} ({one.evidence.direction})\n" for one in interventions]
        page = host.diagnosis_address(id)
        lines += [] if page is None else [f"{page}\n"]
        return Response(lines, content_type="text/plain; charset=utf-8")

    yield text


INTERFACE = Interface("/text", blueprints, json_problem)
