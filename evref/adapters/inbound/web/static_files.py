"""Static files under addresses that change with their content, so that browsers keep them."""

import re
from functools import cache
from importlib import resources
from urllib.parse import urlsplit

import flask_swagger_ui
from flask import Flask, Response, abort

from evref.adapters.inbound.web.query import refuse_parameters
from evref.adapters.inbound.web.representations import Representation, respond

_IMMUTABLE = "public, max-age=31536000, immutable"
_OF_ANOTHER_VERSION = "no-cache"
"""A page of another version of the service asks for its file, and gets the present one."""

_ADDRESS = re.compile(r"([a-z-]+)\.([0-9a-f]{8})\.([a-z]+)")
# Not from the tables of the machine, which differ.
_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_OWN = resources.files("evref.adapters.inbound.web") / "static"
# The page of Swagger UI itself would load an example from another host.
_OF_SWAGGER_UI = frozenset({"swagger-ui.css", "swagger-ui-bundle.js"})


def register(app: Flask, base_url: str) -> None:
    """Serve the files, and add `static`, the address of each by its name, to the templates.

    Such as /static/evref.3f2a91c0.css for evref.css.
    """
    app.add_url_rule("/static/<name>", "static", _serve)
    app.jinja_env.globals["static"] = {
        name: f"{urlsplit(base_url).path}/static/{stem}.{_digest(_file(name))}.{ending}"
        for name in _names()
        for stem, _, ending in [name.rpartition(".")]
    }


def _serve(name: str) -> Response:
    match = _ADDRESS.fullmatch(name)
    if match is None or f"{match[1]}.{match[3]}" not in _names():
        abort(404)
    refuse_parameters()
    file = _file(f"{match[1]}.{match[3]}")
    return respond(file, _IMMUTABLE if match[2] == _digest(file) else _OF_ANOTHER_VERSION)


@cache
def _names() -> frozenset[str]:
    return _OF_SWAGGER_UI.union(file.name for file in _OWN.iterdir())


@cache
def _file(name: str) -> Representation:
    folder = resources.files(flask_swagger_ui) / "dist" if name in _OF_SWAGGER_UI else _OWN
    return Representation([(folder / name).read_bytes()], _TYPES[name.rpartition(".")[2]])


def _digest(file: Representation) -> str:
    return file.etag(compressed=False)[1:9]
