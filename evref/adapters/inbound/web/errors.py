"""The pages that explain the types of problems."""

from flask import Blueprint, Response, abort

from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.problems import DOCUMENTED


def blueprint(frame: Frame) -> Blueprint:
    pages = frame.blueprint("problems", __name__)

    @pages.get("/problems")
    def all_problems() -> Response:
        return frame.page("problems.html", lambda: {"problems": DOCUMENTED.values()})

    @pages.get("/problems/<slug>")
    def problem(slug: str) -> Response:
        if slug not in DOCUMENTED:
            abort(404)
        return frame.page("problem.html", lambda: {"problem": DOCUMENTED[slug]})

    return pages
