"""Metrics as an interface of the service, which is served only with the operator's token."""

from collections.abc import Iterator

from flask import Blueprint

from evref.adapters.inbound.web.host import Host, InterfaceError
from evref.adapters.inbound.web.interfaces import Interface


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
    from evref.adapters.inbound.metrics.blueprint import Metrics  # noqa: PLC0415

    metrics = Metrics(folder)
    host.observers.append(metrics.of_request)
    yield metrics.blueprint(host.browse, host.warnings, token)


INTERFACE = Interface("/metrics", _blueprints)
