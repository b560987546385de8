"""Storage that fails while the service runs, and recovers."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError
from tests.http.conftest import MakeService
from tests.http.service import Service, assert_problem, body, entries

DIAGNOSES = "/api/v1/diagnoses"


def database_file(service: Service) -> Path:
    return Path(service.container.settings().database_url.removeprefix("sqlite:///"))


@contextmanager
def garbage(service: Service) -> Iterator[None]:
    """Replace the content of the database file during the block."""
    service.close()
    file = database_file(service)
    before = file.read_bytes()
    file.write_bytes(b"This is no database. " * 1000)
    try:
        yield
    finally:
        file.write_bytes(before)


@contextmanager
def locked(service: Service) -> Iterator[None]:
    """Hold a lock on the database in another connection during the block."""
    with closing(sqlite3.connect(database_file(service), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """Return a service that waits for its storage no longer than these tests need."""
    made = make_service(storage_timeout_seconds=0.2)
    made.publish(Catalogue(entries()))
    return made


Break = Callable[[Service], AbstractContextManager[None]]


@pytest.mark.parametrize("broken", [garbage, locked])
def test_nothing_is_served_uncounted_and_service_resumes_by_itself(
    service: Service, token: str, broken: Break
) -> None:
    """A request that cannot be counted is refused with `Retry-After`."""
    key = service.new_key()
    assert service.get(DIAGNOSES, token=key.token.text).status_code == 200

    with broken(service):
        refused = service.get(DIAGNOSES, token=key.token.text)
        malformed = service.get(DIAGNOSES, token="evref_" + "a" * 46)
        limit = service.get("/api/v1/limit", token=key.token.text)
        live = service.get("/health/live")
        ready = service.get("/health/ready")
        public = service.get("/api/v1/openapi.json")
    resumed = service.get(DIAGNOSES, token=key.token.text)

    assert_problem(refused, 503, "service-unavailable")
    # A malformed key is rejected without storage.
    assert_problem(malformed, 401, "invalid-api-key")
    # A lock prevents counting, and not reading.
    assert limit.status_code == (200 if broken is locked else 503)
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.headers["Cache-Control"] == "no-store"
    assert live.status_code == 200
    assert ready.status_code == 503
    assert int(ready.headers["Retry-After"]) >= 1
    assert body(ready)["storage"] == "out of reach"
    assert public.status_code == 200
    assert resumed.status_code == 200
    assert service.admitted(key) == 2
    assert service.get("/health/ready").status_code == 200


@pytest.mark.parametrize("path", [DIAGNOSES, "/infobutton", "/fhir/PlanDefinition"])
def test_every_interface_says_that_the_service_is_unavailable(
    service: Service, token: str, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StorageUnavailableError("the queue is full")

    monkeypatch.setattr(type(service.container.storage().admission), "admit", fail)

    response = service.get(path, token=token)

    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 1


def test_the_log_has_the_reason_and_no_key(
    service: Service, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator finds the reason under the request id that the client received."""
    with caplog.at_level(logging.DEBUG), garbage(service):
        response = service.get(DIAGNOSES, token=token)

    assert response.headers["X-Request-ID"] in caplog.text
    assert "not a database" in caplog.text
    assert token not in caplog.text
    assert token[-10:] not in caplog.text
