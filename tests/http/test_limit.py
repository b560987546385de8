"""The status of a key's limit: never counted, and available with any permission and remainder."""

from __future__ import annotations

from datetime import timedelta

import pytest

from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import OPERATOR
from tests.http.conftest import MakeService
from tests.http.service import LATE, MIDNIGHT, Service, assert_problem, body, entries

LIST = "/api/v1/diagnoses"
LIMIT = "/api/v1/limit"


def test_a_new_key_has_used_nothing(service: Service) -> None:
    key = service.new_key(limit=7, expires_on=LATE.date() + timedelta(days=3))

    response = service.get(LIMIT, token=key.token.text)

    answer = body(response)
    assert answer["data"] == {
        "limit": 7,
        "remaining": 7,
        "used": 0,
        "refused": 0,
        "resets_at": "2026-03-02T00:00:00+00:00",
        "permission": "read",
        "expires_on": "2026-03-04",
    }
    assert answer["meta"].keys() == {"catalogue_version", "licence", "disclaimer"}
    assert response.headers["RateLimit"] == '"daily";r=7;t=3601'
    assert response.headers["X-RateLimit-Reset"] == str(int(MIDNIGHT.timestamp()))


def test_reading_the_limit_never_counts(service: Service) -> None:
    """Neither an answer, nor a 304, nor a refusal of the query."""
    key = service.new_key(limit=2)
    token = key.token.text
    service.get(LIST, token=token)
    first = service.get(LIMIT, token=token)

    again = service.get(LIMIT, token=token, headers={"If-None-Match": first.headers["ETag"]})
    refused = service.get(f"{LIMIT}?x=1", token=token)
    head = service.request("HEAD", LIMIT, token=token)

    assert [each.status_code for each in (again, refused, head)] == [304, 422, 200]
    for response in (first, again, refused, head):
        assert response.headers["X-RateLimit-Remaining"] == "1"
    assert service.data(LIMIT, token)["used"] == 1
    assert service.admitted(key) == 1


def test_it_is_answered_when_nothing_remains(service: Service) -> None:
    """With what was refused; and the new day begins with nothing used."""
    token = service.token(limit=1)
    for _ in range(3):
        service.get(LIST, token=token)

    today = service.data(LIMIT, token)
    service.clock.advance((MIDNIGHT - LATE).total_seconds())
    tomorrow = service.data(LIMIT, token)

    assert (today["used"], today["refused"], today["remaining"]) == (1, 2, 0)
    assert (tomorrow["used"], tomorrow["refused"], tomorrow["remaining"]) == (0, 0, 1)
    assert tomorrow["resets_at"] == "2026-03-03T00:00:00+00:00"


def test_it_is_answered_for_a_key_without_permission(service: Service) -> None:
    """It is the way to find out why all else is forbidden."""
    token = service.token(permission=Permission.NONE)

    assert_problem(service.get(LIST, token=token), 403)

    found = service.data(LIMIT, token)
    assert found["permission"] == "none"
    assert found["expires_on"] is None


def test_a_lowered_limit_is_the_one_that_is_answered(service: Service) -> None:
    key = service.new_key(limit=10)
    for _ in range(4):
        service.get(LIST, token=key.token.text)

    service.container.manage_keys().change(OPERATOR, key.key.id, daily_limit=2)

    found = service.data(LIMIT, key.token.text)
    assert (found["limit"], found["used"], found["remaining"]) == (2, 4, 0)


@pytest.mark.parametrize("end", ["revoked", "expired", "unknown"])
def test_only_a_live_key_is_answered(service: Service, make_service: MakeService, end: str) -> None:
    """As everywhere, with one and the same answer."""
    key = service.new_key(expires_on=LATE.date())
    token = key.token.text
    if end == "revoked":
        service.container.manage_keys().revoke(OPERATOR, key.key.id)
    elif end == "expired":
        service.clock.advance(3601)
    else:
        token = make_service().token()

    assert_problem(service.get(LIMIT, token=token), 401, "invalid-api-key")


def test_without_a_catalogue_it_is_unavailable(make_service: MakeService) -> None:
    """As everything is, until one is published."""
    service = make_service()
    token = service.token()

    assert_problem(service.get(LIMIT, token=token), 503, "service-unavailable")

    service.publish(Catalogue(entries()))
    service.clock.advance(1)
    assert service.get(LIMIT, token=token).status_code == 200
