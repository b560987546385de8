"""Public pages: the front page, who runs the service, and Swagger UI; also the JSON Schema of
catalogue files, and the files for crawlers.
"""

from functools import cache
from importlib import resources
from typing import Any, cast

from apiflask import APIFlask
from flask import Blueprint, Response, abort, current_app, render_template, url_for

from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.query import refuse_parameters
from evref.adapters.inbound.web.representations import PUBLIC, Representation, respond
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.evidence import CardGroup

# Swagger UI sets style attributes in its script. Scripts come from this service only; none are
# inline.
_SWAGGER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_EXAMPLE = "heart-failure"
"""The front page shows a few lines of this diagnosis, or else of that with most interventions."""
_SHOWN = {CardGroup.RECOMMENDED: 3, CardGroup.ADVISED_AGAINST: 1, CardGroup.TO_CONSIDER: 1}


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
            lambda: {"operator": settings.operator, "contact": settings.contact},
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

    @pages.get("/robots.txt")
    def robots() -> Response:
        lines = ["User-agent: *", "Disallow: /api/", "Disallow: /settings"]
        if frame.is_public:
            lines += ["Disallow: /catalogue?", f"Sitemap: {url_for('.sitemap', _external=True)}"]
        else:
            lines += ["Disallow: /catalogue"]
        text = "\n".join([*lines, ""])
        return respond(Representation([text.encode()], "text/plain; charset=utf-8"), PUBLIC)

    @pages.get("/sitemap.xml")
    def sitemap() -> Response:
        if not frame.is_public:
            abort(404)
        entries = frame.require_served().catalogue.entries
        text = render_template("sitemap.xml", entries=entries)
        return respond(Representation([text.encode()], "application/xml"), PUBLIC)

    return pages


def _front(catalogue: Catalogue | None, base_url: str) -> dict[str, Any]:
    entries = () if catalogue is None else catalogue.entries
    example = max(
        entries,
        key=lambda entry: (entry.diagnosis.id == _EXAMPLE, len(entry.visible_interventions())),
        default=None,
    )
    groups = {} if example is None else example.card()
    return {
        "base_url": base_url,
        "entries": entries,
        "intervention_count": sum(len(entry.visible_interventions()) for entry in entries),
        "work_count": 0 if catalogue is None else catalogue.work_count,
        "example": example,
        "card": {group: groups[group] for group in groups if group in _SHOWN},
        "phase": example and example.commonest_phase,
        "most": _SHOWN,
    }


@cache
def _catalogue_file_schema() -> Representation:
    file = resources.files("evref") / "data" / "catalogue-file.schema.json"
    return Representation([file.read_bytes()], "application/schema+json")
