"""Public pages: the front page, who runs the service, and Swagger UI; also the JSON Schema of
catalogue files.
"""

import mimetypes
from functools import cache
from importlib import resources
from typing import Any, cast

import flask_swagger_ui
from apiflask import APIFlask
from flask import Blueprint, Response, abort, current_app

from evref.adapters.inbound.pages import contacts
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.representations import (
    PUBLIC,
    PUBLIC_FOR_A_DAY,
    Representation,
    respond,
)
from evref.domain.catalogue.card import CardGroup, card
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Intervention

# Swagger UI sets style attributes in its script. Scripts come from this service only; none are
# inline.
_SWAGGER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_SWAGGER_FILES = (
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "favicon-32x32.png",
    "favicon-16x16.png",
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

    @pages.get("/docs/<name>")
    def swagger_ui(name: str) -> Response:
        if name not in _SWAGGER_FILES:
            abort(404)
        return respond(_swagger_file(name), PUBLIC_FOR_A_DAY)

    @pages.get("/schemas/catalogue-file.json")
    def catalogue_file_schema() -> Response:
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


@cache
def _swagger_file(name: str) -> Representation:
    body = resources.files(flask_swagger_ui).joinpath("dist", name).read_bytes()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Representation([body], kind if kind.startswith("image/") else f"{kind}; charset=utf-8")
