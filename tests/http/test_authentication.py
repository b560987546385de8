"""Authentication by bearer token, the equal responses to all invalid keys, and what is counted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from evref.domain.access.key import KeyToken, Permission
from evref.testing.builders import OPERATOR
from tests.http.service import INFOBUTTON, LATE, Service, assert_problem, assert_refused, body

DIAGNOSES = "/api/v1/diagnoses"
PLANS, ACTIVITIES = "/fhir/PlanDefinition", "/fhir/ActivityDefinition"
ENDPOINTS = [
    DIAGNOSES,
    f"{DIAGNOSES}/knee-osteoarthritis",
    f"{DIAGNOSES}/knee-osteoarthritis/interventions",
    "/api/v1/catalogue",
    INFOBUTTON,
    PLANS,
    f"{PLANS}/knee-osteoarthritis",
    f"{PLANS}/nobody",
    ACTIVITIES,
    f"{ACTIVITIES}/k-concept",
]
LIMIT = "/api/v1/limit"
REALM = 'Bearer realm="evref"'
TODAY = LATE.date()


def answer(service: Service, headers: dict[str, str]) -> tuple[Any, ...]:
    """Return a response without what differs from one request to the next."""
    response = service.get(DIAGNOSES, headers=headers)
    content = body(response)
    lasting = {name: value for name, value in response.headers if name != "X-Request-ID"}
    return response.status_code, {**content, "request_id": None}, lasting


@pytest.mark.shared_service
@pytest.mark.parametrize("path", [*ENDPOINTS, LIMIT])
def test_every_endpoint_needs_a_key(service: Service, path: str) -> None:
    response = service.get(path)

    assert_refused(response, 401, "missing-credentials")
    assert response.headers["WWW-Authenticate"] == REALM
    assert response.headers["Cache-Control"] == "no-store"
    assert "RateLimit" not in response.headers


@pytest.mark.shared_service
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_the_scheme_is_case_insensitive(service: Service, token: str, scheme: str) -> None:
    """RFC 9110, section 11.1, requires this."""
    headers = {"Authorization": f"{scheme} {token}"}

    assert service.get(DIAGNOSES, headers=headers).status_code == 200


@pytest.mark.shared_service
@pytest.mark.parametrize(
    "form",
    [
        "",
        "Bearer",
        "{token}",
        "Basic {token}",
        "Bearer: {token}",
        "Bearer{token}",
        "Bearer\t{token}",
        "Bearer {token} {token}",
        "Bearer {token}, Bearer {token}",
        'Bearer realm="x" {token}',
        "Basic x, Bearer {token}",
        "B\xebarer {token}",
    ],
)
def test_a_malformed_header_is_not_a_credential(service: Service, token: str, form: str) -> None:
    headers = {"Authorization": form.format(token=token)}

    without = answer(service, {})

    assert answer(service, headers) == without
    assert without[0] == 401


@pytest.mark.shared_service
@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("?api_key={token}", {}),
        ("?access_token={token}", {}),
        ("", {"Cookie": "api_key={token}; Authorization={token}; session={token}"}),
        ("", {"X-API-Key": "{token}"}),
        ("", {"Proxy-Authorization": "Bearer {token}"}),
        ("", {"X-Forwarded-Authorization": "Bearer {token}"}),
    ],
)
def test_a_key_outside_the_authorization_header_is_never_read(
    service: Service, token: str, path: str, headers: dict[str, str]
) -> None:
    """Logs would contain a key in an address, and other sites' pages could send a cookie."""
    sent = {name: value.format(token=token) for name, value in headers.items()}

    response = service.get(DIAGNOSES + path.format(token=token), headers=sent)

    assert_problem(response, 401, "missing-credentials")


def test_all_invalid_keys_get_the_same_response(service: Service) -> None:
    """Nobody can learn whether a key is mistyped, unknown, revoked, expired or replaced."""
    revoked = service.new_key()
    service.container.manage_keys().revoke(OPERATOR, revoked.key.id)
    expired = service.new_key(expires_on=TODAY)
    removed, ended = service.new_key(), service.new_key()
    for old, overlap in ((removed, timedelta(0)), (ended, timedelta(hours=1))):
        service.container.manage_keys().rotate(OPERATOR, old.key.id, keep_old_for=overlap)
    right = service.token()
    service.clock.advance(days=1)
    unknown = KeyToken.make(7).text
    mistyped = right[:-1] + ("A" if right[-1] != "A" else "B")
    wrong = [
        revoked.token.text,
        expired.token.text,
        removed.token.text,
        ended.token.text,
        unknown,
        mistyped,
        "\xe9",
    ]

    answers = [answer(service, {"Authorization": f"Bearer {text}"}) for text in wrong]

    assert answers == [answers[0]] * len(wrong)
    status, problem, headers = answers[0]
    assert status == 401
    assert problem["type"].endswith("/problems/invalid-api-key")
    assert headers["WWW-Authenticate"] == f'{REALM}, error="invalid_token"'
    assert "RateLimit" not in headers


@pytest.mark.shared_service
@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_key_without_the_permission_is_forbidden(service: Service, path: str) -> None:
    """The key is valid, so the response names the missing permission, and nothing is counted."""
    key = service.new_key(permission=Permission.NONE)

    response = service.get(path, token=key.token.text)

    assert_refused(response, 403, "insufficient-permission")
    assert response.headers["WWW-Authenticate"] == (
        f'{REALM}, error="insufficient_scope", scope="read"'
    )
    assert "RateLimit" not in response.headers
    assert service.admitted(key) == 0


@pytest.mark.shared_service
@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/fhir/metadata"])
def test_a_description_needs_no_key_and_is_not_counted(service: Service, path: str) -> None:
    """Tools download it without a key, and a key that is sent is not read."""
    key = service.new_key()

    for headers in ({}, {"Authorization": f"Bearer {key.token.text}"}, {"Authorization": "x"}):
        response = service.get(path, headers=headers)

        assert response.status_code == 200
        assert "RateLimit" not in response.headers
    assert service.admitted(key) == 0


@pytest.mark.shared_service
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        (DIAGNOSES, 200),
        (f"{DIAGNOSES}/nobody", 404),
        ("/api/v1/catalogue", 200),
        (f"{DIAGNOSES}?x=1", 422),
        (INFOBUTTON, 200),
        ("/infobutton", 422),
        (PLANS, 200),
        (f"{PLANS}/nobody", 404),
        (f"{ACTIVITIES}?modul=home", 400),
        (f"{PLANS}/knee-osteoarthritis?_format=xml", 406),
    ],
)
def test_an_admitted_request_is_counted_once(
    service: Service, method: str, path: str, status: int
) -> None:
    key = service.new_key(limit=10)

    response = service.request(method, path, token=key.token.text)

    assert response.status_code == status
    assert response.headers["X-RateLimit-Remaining"] == "9"
    assert service.admitted(key) == 1
