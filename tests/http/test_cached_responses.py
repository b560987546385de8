"""A cached response equals a new one: admission, counts and header fields are the same."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from werkzeug.test import TestResponse

from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import OPERATOR, a_catalogue, an_entry
from tests.http.conftest import MakeService
from tests.http.service import INFOBUTTON, Service, assert_problem, body, entries

LIST = "/api/v1/diagnoses"
KNEE = f"{LIST}/knee-osteoarthritis/interventions"
TARGETS = [
    LIST,
    f"{LIST}?q=knee",
    f"{LIST}/twin-a",
    KNEE,
    f"{KNEE}?module=home&phase=acute",
    INFOBUTTON,
]
ORIGIN = "https://app.example.org"


def lasting(response: TestResponse) -> dict[str, str]:
    """The headers that do not differ from one request to the next."""
    differ = {"X-Request-ID", "RateLimit", "X-RateLimit-Remaining"}
    return {name: value for name, value in response.headers.items() if name not in differ}


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}, {"If-None-Match": "*"}])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_cached_response_has_the_same_headers_and_body(
    service: Service, token: str, target: str, method: str, headers: dict[str, str]
) -> None:
    """And one request more is counted."""
    made = service.request(method, target, token=token, headers=headers)
    kept = service.request(method, target, token=token, headers=headers)

    assert kept.status_code == made.status_code
    assert lasting(kept) == lasting(made)
    assert kept.get_data() == made.get_data()
    assert kept.headers["X-RateLimit-Remaining"] == "998"


def test_a_cached_response_is_not_rendered_again(service: Service, token: str) -> None:
    """Until the catalogue changes: then it is, and the request still counts once."""
    service.get(LIST, token=token)
    with patch.object(Catalogue, "find", side_effect=AssertionError):
        kept = service.get(LIST, token=token)
    service.publish(Catalogue(entries()[:1]))
    service.clock.advance(1)
    anew = service.get(LIST, token=token)

    assert body(kept)["meta"]["count"] == 5
    assert body(anew)["meta"]["count"] == 1
    assert anew.headers["X-RateLimit-Remaining"] == "997"


@pytest.mark.parametrize("target", TARGETS)
def test_a_refusal_is_the_same_before_and_after_caching(
    service: Service, token: str, target: str
) -> None:
    """With the same problem and the same fields."""
    service.token()
    revoked = service.new_key()
    service.container.manage_keys().revoke(OPERATOR, revoked.key.id)
    refused = {
        "missing-credentials": None,
        "invalid-api-key": revoked.token.text,
        "insufficient-permission": service.token(permission=Permission.NONE),
        "quota-exceeded": service.token(limit=0),
    }
    before = {slug: service.get(target, token=sent) for slug, sent in refused.items()}
    assert service.get(target, token=token).status_code == 200
    after = {slug: service.get(target, token=sent) for slug, sent in refused.items()}

    for slug, response in after.items():
        assert response.status_code in {401, 403, 429}
        problem, earlier = body(response), body(before[slug])
        assert problem | {"request_id": ""} == earlier | {"request_id": ""}
        assert lasting(response) == lasting(before[slug])


def test_an_address_that_only_looks_like_its_own_does_not_find_it(
    service: Service, token: str
) -> None:
    """The question mark of its query, written so that it belongs to the path."""
    service.get(f"{LIST}?q=knee?", token=token)

    assert service.get(f"{LIST}%3Fq=knee", token=token).status_code == 404


def test_a_fault_of_the_service_is_told_as_one(service: Service, token: str) -> None:
    """With nothing of its inside."""
    service.get(LIST, token=token)
    with patch.object(
        type(service.container.storage().admission), "admit", side_effect=ZeroDivisionError
    ):
        failed = service.get(LIST, token=token)

    assert_problem(failed, 500, "internal-error")


def test_scripts_of_allowed_origins_may_read_it(make_service: MakeService) -> None:
    """Whichever origin requested it first; and `Vary` names the origin for caches."""
    service = make_service(cors_origins=(ORIGIN,))
    service.publish(Catalogue(entries()))
    token = service.token()

    without = [service.get(LIST, token=token) for _ in range(2)]
    within = [service.get(LIST, token=token, headers={"Origin": ORIGIN}) for _ in range(2)]

    assert lasting(without[0]) == lasting(without[1])
    assert lasting(within[0]) == lasting(within[1])
    assert within[1].headers["Access-Control-Allow-Origin"] == ORIGIN
    assert {r.headers["Vary"] for r in without + within} == {"Accept-Encoding, Origin"}


def test_two_services_in_one_process_never_mix(make_service: MakeService) -> None:
    """Each has its own keys, catalogue and settings."""
    first, second = make_service(), make_service(base_url="https://second.example.org")
    first.publish(a_catalogue(an_entry("asthma", name="Asthma")))
    second.publish(a_catalogue(an_entry("migraine", name="Migraine")))
    tokens = first.token(), second.token()

    assert first.ids(LIST, tokens[0]) == ["asthma"]
    assert second.ids(LIST, tokens[1]) == ["migraine"]
    assert first.get(LIST, token=tokens[1]).status_code == 401
    refused = second.get(LIST, token=tokens[0])
    assert body(refused)["type"] == "https://second.example.org/problems/invalid-api-key"
    assert (
        body(first.get("/api/v1/openapi.json"))["servers"]
        != (body(second.get("/api/v1/openapi.json"))["servers"])
    )
