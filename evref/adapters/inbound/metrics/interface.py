"""`/metrics`: metrics for monitoring, in the text format of Prometheus.

https://prometheus.io/docs/instrumenting/exposition_formats/

It requires the operator's token, so that it is not public if a proxy does not block it.
"""

import hmac
from collections.abc import Iterator, Sequence
from contextlib import suppress

from flask import Blueprint, Response, request

from evref.adapters.inbound.web.host import Host, Interface, InterfaceError
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import EvrefError

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _blueprints(host: Host) -> Iterator[Blueprint]:
    token, folder = host.settings.metrics_token, host.settings.metrics_folder
    if token is None:
        return
    if folder is None:
        raise InterfaceError(
            "EVREF_METRICS_TOKEN needs EVREF_METRICS_FOLDER, an empty folder that all workers "
            "share; evref serve makes one"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InterfaceError(f"EVREF_METRICS_FOLDER cannot be created: {error.strerror}") from None
    # prometheus_client decides when it is imported where it counts.
    from evref.adapters.inbound.metrics.counts import Metrics  # noqa: PLC0415

    metrics = Metrics(folder)
    host.observers.append(metrics.of_request)
    views = Blueprint("metrics", __name__)

    @views.get("/metrics")
    def report() -> Response:
        sent = request.headers.get("Authorization", "")
        if not hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
            return Response(
                "Send the header “Authorization: Bearer …” with EVREF_METRICS_TOKEN.\n",
                401,
                {"WWW-Authenticate": 'Bearer realm="evref metrics"'},
                content_type="text/plain; charset=utf-8",
            )
        catalogue: Catalogue | None = None
        warnings: Sequence[str] = ()
        with suppress(EvrefError):
            catalogue = host.browse.current().catalogue
        with suppress(EvrefError):
            warnings = host.warnings()
        return Response(metrics.report(catalogue, warnings), content_type=_CONTENT_TYPE)

    yield views


INTERFACE = Interface("/metrics", _blueprints)
