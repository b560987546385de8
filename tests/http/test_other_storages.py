"""Requests over the storages that the other tests of the interfaces leave out.

Contracts in `evref.testing` test what each adapter promises, and `tests.faults` tests that nothing
is served when storage is out of reach.
"""

from __future__ import annotations

import pytest

from evref.bootstrap.settings import StorageKind
from evref.domain.access.key import Permission
from evref.testing.builders import OPERATOR
from tests.databases import PreparedDatabases
from tests.http.conftest import MakeService
from tests.http.service import EXAMPLES, IN_ORDER, Service, assert_problem, body
from tests.servers import RedisServer

LIST = "/api/v1/diagnoses"
KNEE = f"{LIST}/knee-osteoarthritis/interventions"


@pytest.fixture(params=["memory", "postgresql", "redis"])
def service(request: pytest.FixtureRequest, make_service: MakeService) -> Service:
    """Return a service with the example catalogue; with `redis`, only the counters are in Redis."""
    settings: dict[str, object] = {"storage": StorageKind.MEMORY}
    if request.param != "memory":
        databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
        settings = {"database_url": databases.empty(0)}
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis")
        settings["quota_url"] = server.url
    service = make_service(**settings)
    service.publish(EXAMPLES)
    return service


def test_the_interface_works_over_each_storage(service: Service) -> None:
    """The test covers data, ETag, count, each kind of refusal, and a revocation."""
    key = service.new_key(limit=3)
    token = key.token.text

    listed = service.get(LIST, token=token)
    filtered = service.get(f"{KNEE}?module=home&phase=acute", token=token)
    unchanged = service.get(LIST, token=token, headers={"If-None-Match": listed.headers["ETag"]})
    over = service.get(LIST, token=token)

    assert [record["id"] for record in body(listed)["data"]] == IN_ORDER
    assert [record["id"] for record in body(filtered)["data"]] == [
        "k-home-acute-a",
        "k-home-acute-b",
        "k-home-acute-z",
    ]
    assert unchanged.status_code == 304
    remaining = [
        answer.headers["X-RateLimit-Remaining"] for answer in (listed, filtered, unchanged)
    ]
    assert remaining == ["2", "1", "0"]
    assert_problem(over, 429)
    assert service.admitted(key) == 3

    assert_problem(service.get(LIST), 401, "missing-credentials")
    without_permission = service.token(permission=Permission.NONE)
    assert_problem(service.get(LIST, token=without_permission), 403, "insufficient-permission")

    service.container.manage_keys().revoke(OPERATOR, key.key.id)
    service.clock.advance(seconds=1)
    assert_problem(service.get(LIST, token=token), 401, "invalid-api-key")
