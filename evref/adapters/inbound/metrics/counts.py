"""What `/metrics` reports. Workers count in files: in storage, each request would wait twice."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time
from http import HTTPStatus
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

import evref
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.host import CompletedRequest
from evref.domain.access.quota import Quota
from evref.domain.catalogue.catalogue import Catalogue

# Seconds. A response takes less than a millisecond, or up to three seconds if storage is slow.
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

# A client can send any other method, and each would create a separate time series.
_METHODS = {"GET", "HEAD", "OPTIONS", "POST"}

# The outcomes of admission by the status of the response, in addition to "admitted".
_REFUSALS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "invalid_api_key",
    HTTPStatus.FORBIDDEN: "insufficient_permission",
    HTTPStatus.TOO_MANY_REQUESTS: "quota_exceeded",
    HTTPStatus.SERVICE_UNAVAILABLE: "storage_unavailable",
}


class Metrics:
    """Stores counts in a folder that all workers share; each worker has its own files.

    The library reads the folder from PROMETHEUS_MULTIPROC_DIR on import, so a process can have
    only one instance.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        registry = CollectorRegistry()
        self._requests = Counter(
            "evref_http_requests",
            "Requests by route, method and status.",
            ["route", "method", "status"],
            registry=registry,
        )
        self._request_seconds = Histogram(
            "evref_http_request_duration_seconds",
            "Time until a response was ready to be sent.",
            ["route"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self._admissions = Counter(
            "evref_admissions",
            "Requests with a well-formed key, by the outcome of admission.",
            ["outcome"],
            registry=registry,
        )
        self._admission_seconds = Histogram(
            "evref_admission_duration_seconds",
            "Time that storage took to admit and count a request, or to refuse it.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self._near_limit = Counter(
            "evref_keys_near_limit",
            "Keys that reached 90 % of their limit of the day.",
            registry=registry,
        )

    def of_request(self, completed: CompletedRequest) -> None:
        """Count and time a completed request, and its admission if it had a well-formed key."""
        environ = completed.environ
        route = environ.get(headers.ROUTE, "none")
        method = environ["REQUEST_METHOD"]
        known_method = method if method in _METHODS else "other"
        self._requests.labels(route, known_method, completed.status).inc()
        self._request_seconds.labels(route).observe(completed.seconds)
        if headers.ADMISSION_SECONDS in environ:
            self._admission_seconds.observe(environ[headers.ADMISSION_SECONDS])
            self._count_admission(completed.status, environ.get(headers.QUOTA))

    def _count_admission(self, status: int, quota: Quota | None) -> None:
        if quota is None or status == HTTPStatus.TOO_MANY_REQUESTS:
            self._admissions.labels(_REFUSALS.get(status, "failed")).inc()
            return
        self._admissions.labels("admitted").inc()
        # Counts are exact, so exactly one request of a key and day has this count.
        if quota.admitted == -(-quota.limit * 9 // 10):
            self._near_limit.inc()

    def report(self, catalogue: Catalogue | None, warnings: Sequence[str]) -> bytes:
        """Return the counts of all processes that share the folder, including ended ones."""
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(self._folder))  # type: ignore[no-untyped-call]
        registry.register(_Present(self._folder, catalogue, warnings))
        return generate_latest(registry)


@dataclass(frozen=True, eq=False)
class _Present(Collector):
    """What holds now: the software, the catalogue, the workers, and the warnings of storage."""

    folder: Path
    catalogue: Catalogue | None
    warnings: Sequence[str]

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("evref_build", "The software.", {"version": evref.__version__})
        if self.catalogue is not None:
            yield from _of_catalogue(self.catalogue)
        yield GaugeMetricFamily(
            "evref_workers", "Workers that are running.", _running_workers(self.folder)
        )
        metric = GaugeMetricFamily(
            "evref_storage_warning", "A warning about the setup of storage.", labels=["warning"]
        )
        for warning in self.warnings:
            metric.add_metric([warning], 1)
        yield metric


def _of_catalogue(catalogue: Catalogue) -> Iterator[Metric]:
    yield InfoMetricFamily("evref_catalogue", "What is served.", {"version": catalogue.version})
    checks = [entry.diagnosis.checked_on for entry in catalogue.entries]
    if checks:
        midnight = datetime.combine(min(checks), time.min, UTC)
        yield GaugeMetricFamily(
            "evref_catalogue_oldest_check_timestamp_seconds",
            "The earliest day on which an entry was last checked.",
            midnight.timestamp(),
        )


def _running_workers(folder: Path) -> int:
    running = 0
    processes = {int(file.stem.rpartition("_")[2]) for file in folder.glob("histogram_*.db")}
    # The process that starts the workers also has a file.
    for process in processes - {os.getppid()}:
        # Files of ended workers remain; another user's process may have the id of one.
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, 0)
            running += 1
    return running
