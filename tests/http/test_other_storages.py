"""A request goes the whole way over each storage that the other tests of the interface leave out.

What each adapter promises by itself is proven by its contract (`evref.testing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from evref.bootstrap.settings import StorageKind
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import OPERATOR
from tests.databases import PreparedDatabases
from tests.http.conftest import MakeService
from tests.http.service import IN_ORDER, Service, assert_problem, body, entries
from tests.servers import PostgresqlServer, database_name, redis_server

LIST = "/api/v1/diagnoses"
KNEE = f"{LIST}/knee-osteoarthritis/interventions"


@dataclass(frozen=True)
class Stored:
    """A service with the example catalogue, and what puts its storage out of reach."""

    service: Service
    out_of_reach: Callable[[], AbstractContextManager[None]]


@pytest.fixture
def on_memory(make_service: MakeService) -> Service:
    service = make_service(storage=StorageKind.MEMORY)
    service.publish(Catalogue(entries()))
    return service


@pytest.fixture
def on_postgresql(
    make_service: MakeService, prepared_databases: PreparedDatabases, postgresql: PostgresqlServer
) -> Stored:
    url = prepared_databases.empty(0)
    service = make_service(database_url=url)
    service.publish(Catalogue(entries()))
    return Stored(service, lambda: refusing_connections(postgresql, url))


@contextmanager
def refusing_connections(server: PostgresqlServer, url: str) -> Iterator[None]:
    """The database takes no connections, and those it had are cut."""
    name = database_name(url)
    server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    try:
        server.cut_connections(name)
        yield
    finally:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.fixture
def on_redis(make_service: MakeService, prepared_databases: PreparedDatabases) -> Iterator[Stored]:
    """Keys and catalogue are in PostgreSQL, and counters in a Redis of its own."""
    with redis_server("--appendonly", "yes", "--appendfsync", "always") as server:
        service = make_service(database_url=prepared_databases.empty(0), quota_url=server.url)
        service.publish(Catalogue(entries()))
        yield Stored(service, server.stopped)
        service.container.storage().close()


@pytest.fixture(params=["on_postgresql", "on_redis"])
def stored(request: pytest.FixtureRequest) -> Stored:
    found: Stored = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["on_memory", "on_postgresql", "on_redis"])
def service(request: pytest.FixtureRequest) -> Service:
    found: Service | Stored = request.getfixturevalue(request.param)
    return found.service if isinstance(found, Stored) else found


def test_a_request_goes_the_whole_way(service: Service) -> None:
    """Data, its validator, its count, each kind of refusal, and a revocation."""
    key = service.new_key(limit=3)
    token = key.token.text

    listed = service.get(LIST, token=token)
    found = service.get(f"{KNEE}?module=home&phase=acute", token=token)
    unchanged = service.get(LIST, token=token, headers={"If-None-Match": listed.headers["ETag"]})
    over = service.get(LIST, token=token)

    assert [record["id"] for record in body(listed)["data"]] == IN_ORDER
    assert [record["id"] for record in body(found)["data"]] == [
        "k-home-acute-a",
        "k-home-acute-b",
        "k-home-acute-z",
    ]
    assert unchanged.status_code == 304
    remaining = [answer.headers["X-RateLimit-Remaining"] for answer in (listed, found, unchanged)]
    assert remaining == ["2", "1", "0"]
    assert_problem(over, 429)
    assert service.admitted(key) == 3

    assert_problem(service.get(LIST), 401, "missing-credentials")
    without_permission = service.token(permission=Permission.NONE)
    assert_problem(service.get(LIST, token=without_permission), 403, "insufficient-permission")

    service.container.manage_keys().revoke(OPERATOR, key.key.id)
    service.clock.advance(1)
    assert_problem(service.get(LIST, token=token), 401, "invalid-api-key")


def test_nothing_is_served_while_storage_is_out_of_reach(stored: Stored) -> None:
    """Service resumes by itself, with the counts from before."""
    service = stored.service
    key = service.new_key(limit=2)
    assert service.get(LIST, token=key.token.text).status_code == 200

    with stored.out_of_reach():
        refused = service.get(LIST, token=key.token.text)
        unread = service.get("/api/v1/limit", token=key.token.text)
        ready = service.get("/health/ready")
    # Longer than the service leaves a storage alone that did not answer.
    service.clock.advance(60)
    resumed = service.get(LIST, token=key.token.text)
    over = service.get(LIST, token=key.token.text)

    assert_problem(refused, 503, "service-unavailable")
    assert_problem(unread, 503, "service-unavailable")
    assert int(refused.headers["Retry-After"]) >= 1
    assert ready.status_code == 503
    assert resumed.status_code == 200
    assert over.status_code == 429
    assert service.admitted(key) == 2
