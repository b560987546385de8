"""The files for crawlers: `/robots.txt`, and the sitemap if the catalogue is public."""

from flask import Blueprint, Response, abort, render_template, url_for

from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.representations import PUBLIC, Representation, respond
from evref.domain.principal import Readers


def blueprint(host: Host) -> Blueprint:
    files, frame = Blueprint("crawlers", __name__), host.frame
    is_public = frame.readers is Readers.PUBLIC

    @files.get("/robots.txt")
    def robots() -> Response:
        lines = ["User-agent: *", "Disallow: /api/", "Disallow: /settings"]
        if is_public:
            lines += ["Disallow: /catalogue?", f"Sitemap: {url_for('.sitemap', _external=True)}"]
        else:
            lines += ["Disallow: /catalogue"]
        text = "\n".join([*lines, ""])
        return respond(Representation([text.encode()], "text/plain; charset=utf-8"), PUBLIC)

    @files.get("/sitemap.xml")
    def sitemap() -> Response:
        if not is_public:
            abort(404)
        entries = frame.require_served().catalogue.entries
        text = render_template("sitemap.xml", entries=entries)
        return respond(Representation([text.encode()], "application/xml"), PUBLIC)

    return files
