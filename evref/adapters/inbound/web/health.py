"""Health checks for orchestrators, monitoring and load balancers."""

from collections.abc import Callable

from flask import Blueprint, Response, jsonify

from evref.adapters.inbound.web.problems import PROBLEMS
from evref.application.report_health import Readiness


def blueprint(check: Callable[[], Readiness]) -> Blueprint:
    """Return `/health/live` (the process responds) and `/health/ready` (the API can respond)."""
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

    return health
