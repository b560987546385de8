"""Pages that need no key: the landing page, Swagger UI, and what each problem means;
and the schema of catalogue files, for editors.
"""

from __future__ import annotations

import mimetypes
from functools import cache
from importlib import resources

import flask_swagger_ui
from flask import Blueprint, Response, abort, render_template

from evref.adapters.inbound.web.problems import PROBLEMS
from evref.adapters.inbound.web.representations import Representation, respond
from evref.domain.catalogue.vocabulary import DISCLAIMER

_PAGE_CACHE = "public, max-age=300"
_ASSET_CACHE = "public, max-age=86400"

# Swagger UI sets style attributes from its script; scripts come from here alone, none inline.
_SWAGGER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_SWAGGER_FILES = (
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "favicon-32x32.png",
    "favicon-16x16.png",
)


def blueprint(base_url: str) -> Blueprint:
    """The pages, as seen by those who reach the service at `base_url`."""
    pages = Blueprint("pages", __name__, template_folder="templates")

    @pages.get("/")
    def landing() -> Response:
        return _page("landing.html", base_url=base_url, disclaimer=DISCLAIMER)

    @pages.get("/docs")
    def docs() -> Response:
        response = _page("docs.html", disclaimer=DISCLAIMER)
        response.headers["Content-Security-Policy"] = _SWAGGER_POLICY
        return response

    @pages.get("/docs/<name>")
    def swagger_ui(name: str) -> Response:
        if name not in _SWAGGER_FILES:
            abort(404)
        return respond(_swagger_file(name), _ASSET_CACHE)

    @pages.get("/problems")
    def all_problems() -> Response:
        return _page("problems.html", problems=PROBLEMS.values())

    @pages.get("/problems/<slug>")
    def problem(slug: str) -> Response:
        if slug not in PROBLEMS:
            abort(404)
        return _page("problem.html", problem=PROBLEMS[slug])

    @pages.get("/schemas/catalogue-file.json")
    def catalogue_file_schema() -> Response:
        return respond(_catalogue_file_schema(), _PAGE_CACHE)

    return pages


def _page(template: str, **context: object) -> Response:
    body = render_template(template, **context).encode()
    return respond(Representation(body, "text/html; charset=utf-8"), _PAGE_CACHE)


@cache
def _catalogue_file_schema() -> Representation:
    file = resources.files("evref") / "data" / "catalogue-file.schema.json"
    return Representation(file.read_bytes(), "application/schema+json")


@cache
def _swagger_file(name: str) -> Representation:
    body = resources.files(flask_swagger_ui).joinpath("dist", name).read_bytes()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Representation(body, kind if kind.startswith("image/") else f"{kind}; charset=utf-8")
