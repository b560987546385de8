"""Every route only reads, and scripts of other origins can read only if the origin is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from evref.bootstrap.settings import Settings
from tests.databases import prepared_sqlite
from tests.http.service import BASE_URL, EXAMPLES, INFOBUTTON, Service, assert_refused

LIST = "/api/v1/diagnoses"
PATHS = [
    LIST,
    f"{LIST}/knee-osteoarthritis",
    f"{LIST}/nobody",
    f"{LIST}/knee-osteoarthritis/interventions",
    "/api/v1/catalogue",
    "/api/v1/limit",
    "/api/v1/openapi.json",
    INFOBUTTON,
    "/fhir/PlanDefinition",
    "/fhir/PlanDefinition/knee-osteoarthritis",
    "/fhir/ActivityDefinition",
    "/fhir/metadata",
]
METHODS = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "BREW"]
APP = "https://app.example.org"
OTHER_APP = "https://other.example.org:8443"


@pytest.mark.shared_service
@pytest.mark.parametrize("path", PATHS)
def test_every_other_method_is_rejected(service: Service, token: str, path: str) -> None:
    allowed = {"GET", "HEAD"} | ({"POST"} if path == INFOBUTTON else set())
    for method in (name for name in METHODS if name not in allowed):
        for credentials in (None, token):
            response = service.request(method, path, token=credentials)

            assert_refused(response, 405, "method-not-allowed")
            assert set(response.headers["Allow"].split(", ")) == allowed


def test_other_origins_are_off_by_default(service: Service, token: str) -> None:
    response = service.get(LIST, token=token, headers={"Origin": APP})

    assert response.status_code == 200
    assert not [name for name, _ in response.headers if name.startswith("Access-Control")]
    assert "Origin" not in response.headers["Vary"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service that two origins may use."""
    url = prepared_sqlite(tmp_path_factory.mktemp("opened"), EXAMPLES)
    settings = Settings(base_url=BASE_URL, database_url=url, cors_origins=(APP, OTHER_APP))
    with closing(Service(settings)) as service:
        yield service


@pytest.mark.parametrize("origin", [APP, OTHER_APP])
def test_a_named_origin_may_read_responses_and_rate_limit_fields(
    opened: Service, origin: str
) -> None:
    """It may also read errors, because a script must be able to tell what went wrong."""
    token = opened.token()
    for path, sent, status in (
        (LIST, token, 200),
        (f"{LIST}/nobody", token, 404),
        (f"{LIST}?x=1", token, 422),
        ("/api/v1/catalogue", token, 200),
        ("/api/v1/limit", token, 200),
        ("/api/v1/openapi.json", token, 200),
        (INFOBUTTON, token, 200),
        ("/infobutton", token, 422),
        ("/fhir/metadata", None, 200),
        ("/fhir/PlanDefinition/knee-osteoarthritis", token, 200),
        ("/fhir/PlanDefinition/nobody", token, 404),
        (LIST, None, 401),
        (LIST, opened.token(limit=0), 429),
    ):
        response = opened.get(path, token=sent, headers={"Origin": origin})

        assert response.status_code == status
        assert response.headers.getlist("Access-Control-Allow-Origin") == [origin]
        assert "Origin" in response.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in response.headers
        assert set(response.headers["Access-Control-Expose-Headers"].split(", ")) >= {
            "ETag",
            "RateLimit",
            "RateLimit-Policy",
            "Retry-After",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "X-Request-ID",
        }


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "https://evil.example.org",
        "http://app.example.org",
        "https://app.example.org.evil.example",
        "null",
    ],
)
def test_any_other_origin_may_not_read_responses(opened: Service, origin: str | None) -> None:
    """The response still has the `Vary` field that tells caches that it depends on the origin."""
    headers = {} if origin is None else {"Origin": origin}

    for method in ("GET", "OPTIONS"):
        response = opened.request(method, "/api/v1/openapi.json", headers=headers)

        assert response.status_code == 200
        assert "Access-Control-Allow-Origin" not in response.headers
        assert "Origin" in response.headers["Vary"]


def test_a_preflight_of_a_named_origin_needs_no_key(opened: Service) -> None:
    asked = {"authorization", "if-none-match", "x-request-id"}
    headers = {
        "Origin": APP,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": ", ".join(asked),
    }
    for path in PATHS:
        response = opened.request("OPTIONS", path, headers=headers)

        assert response.status_code == 200
        assert response.headers["Access-Control-Allow-Origin"] == APP
        assert set(response.headers["Access-Control-Allow-Methods"].split(", ")) == {"GET", "HEAD"}
        allowed = response.headers["Access-Control-Allow-Headers"].lower()
        assert set(allowed.split(", ")) == asked


def test_a_named_origin_may_search_fhir_with_post(opened: Service) -> None:
    headers = {"Origin": APP, "Access-Control-Request-Method": "POST"}

    for path, allowed in (("PlanDefinition/_search", "POST"), ("PlanDefinition", None)):
        response = opened.request("OPTIONS", f"/fhir/{path}", headers=headers)
        assert response.headers.get("Access-Control-Allow-Methods") == allowed


def test_no_other_origin_may_read_pages(opened: Service) -> None:
    for path in ("/", "/docs", "/health/live", "/problems"):
        response = opened.get(path, headers={"Origin": APP})

        assert response.status_code == 200
        assert "Access-Control-Allow-Origin" not in response.headers
