"""Public pages: the front page, who runs the service, and Swagger UI; also the JSON Schema of
catalogue files.
"""

from functools import cache
from importlib import resources
from typing import Any, cast

from apiflask import APIFlask
from flask import Blueprint, Response, current_app

from evref.adapters.inbound.pages import contacts
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.query import refuse_parameters
from evref.adapters.inbound.web.representations import (
    PUBLIC,
    Representation,
    respond,
)
from evref.domain.catalogue.card import card
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import CardGroup
from evref.domain.catalogue.intervention import Intervention

# Swagger UI sets style attributes in its script. Scripts come from this service only; none are
# inline.
_SWAGGER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def blueprint(host: Host) -> Blueprint:
    frame, settings = host.frame, host.settings
    pages = frame.blueprint("pages", __name__, template_folder="templates")

    def front() -> dict[str, Any]:
        shown = _front(frame.catalogue, settings.base_url)
        return {**shown, "interfaces": host.interfaces}

    @pages.get("/")
    def landing() -> Response:
        return frame.page("landing.html", front, is_by_role=True)

    pages.add_url_rule(
        "/about",
        "about",
        lambda: frame.page(
            "about.html",
            lambda: {
                "operator": settings.operator,
                "contact": settings.contact,
                "contact_address": settings.contact and contacts.link(settings.contact),
            },
        ),
    )

    @pages.get("/docs")
    def docs() -> Response:
        return frame.page(
            "docs.html",
            lambda: {
                "document": cast("APIFlask", current_app).spec,
                "base_url": settings.base_url,
                "interfaces": host.interfaces,
            },
            policy=_SWAGGER_POLICY,
        )

    @pages.get("/schemas/catalogue-file.json")
    def catalogue_file_schema() -> Response:
        refuse_parameters()
        return respond(_catalogue_file_schema(), PUBLIC)

    return pages


def _front(catalogue: Catalogue | None, base_url: str) -> dict[str, Any]:
    entries = () if catalogue is None else catalogue.entries
    example = max(entries, key=_example_rank, default=None)
    return {
        "base_url": base_url,
        "entries": entries,
        "intervention_count": sum(len(entry.visible_interventions()) for entry in entries),
        "work_count": 0 if catalogue is None else catalogue.work_count,
        "example": example,
        "card": {} if example is None else _card(example),
    }


def _example_rank(entry: Entry) -> tuple[int, int]:
    """Return the sort key of a card as an example: many groups first, then few interventions."""
    return len(_card(entry)), -len(entry.visible_interventions())


def _card(entry: Entry) -> dict[CardGroup, tuple[Intervention, ...]]:
    return card(entry.visible_interventions(), entry.diagnosis.mainstays)


@cache
def _catalogue_file_schema() -> Representation:
    file = resources.files("evref") / "data" / "catalogue-file.schema.json"
    return Representation([file.read_bytes()], "application/schema+json")
