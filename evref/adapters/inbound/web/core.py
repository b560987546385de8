"""The views of no single interface: health checks, and the pages that explain problems."""

from collections.abc import Callable, Iterator

from flask import Blueprint, Response, abort, jsonify

from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.problems import DOCUMENTED, PROBLEMS
from evref.application.report_health import Readiness


def blueprints(check: Callable[[], Readiness], frame: Frame) -> Iterator[Blueprint]:
    """Yield `/health/live` (the process responds), `/health/ready` (the API can respond) and
    `/problems`.
    """
    health = Blueprint("health", __name__, url_prefix="/health")

    @health.get("/live")
    def live() -> Response:
        return jsonify(status="live")

    @health.get("/ready")
    def ready() -> Response:
        readiness = check()
        response = jsonify(
            status="ready" if readiness.ready else "unavailable",
            storage="answers" if readiness.storage_answers else "out of reach",
            catalogue_version=readiness.catalogue_version,
        )
        if not readiness.ready:
            response.status_code = 503
            response.headers["Retry-After"] = str(PROBLEMS["service-unavailable"].retry_after)
        return response

    yield health
    pages = frame.blueprint("problems", __name__)

    @pages.get("/problems")
    def all_problems() -> Response:
        return frame.page("problems.html", lambda: {"problems": DOCUMENTED.values()})

    @pages.get("/problems/<slug>")
    def problem(slug: str) -> Response:
        if slug not in DOCUMENTED:
            abort(404)
        return frame.page("problem.html", lambda: {"problem": DOCUMENTED[slug]})

    yield pages
