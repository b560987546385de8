"""Read-only, as a property of every route, and other origins only where they are named."""

from __future__ import annotations

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from tests.http.conftest import MakeService
from tests.http.service import INFOBUTTON, Service, assert_problem, entries

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
]
METHODS = [
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "QUERY",
    "BREW",
]
APP = "https://app.example.org"
OTHER_APP = "https://other.example.org:8443"


@pytest.mark.shared_service
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", METHODS)
def test_every_other_method_is_refused(
    service: Service, token: str, method: str, path: str
) -> None:
    """With what is allowed instead; credentials change nothing."""
    for credentials in (None, token):
        response = service.request(method, path, token=credentials)

        assert_problem(response, 405, "method-not-allowed")
        assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("origins", [(), (APP,)])
def test_no_route_of_the_interface_takes_anything_but_reading(
    make_service: MakeService, origins: tuple[str, ...]
) -> None:
    """A route that wrote would have to be let through here first."""
    rules = [
        rule
        for rule in make_service(cors_origins=origins).app.url_map.iter_rules()
        if rule.rule.startswith(("/api", "/infobutton"))
    ]

    assert rules
    for rule in rules:
        assert rule.methods is not None
        assert rule.methods <= {"GET", "HEAD", "OPTIONS"}
        assert ("OPTIONS" in rule.methods) == bool(origins)


def test_other_origins_are_off_by_default(service: Service, token: str) -> None:
    """Nothing in an answer lets a script of another origin read it."""
    response = service.get(LIST, token=token, headers={"Origin": APP})

    assert response.status_code == 200
    assert not [name for name, _ in response.headers if name.startswith("Access-Control")]
    assert "Origin" not in response.headers["Vary"]


@pytest.mark.parametrize("origin", [APP, OTHER_APP])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        (LIST, 200),
        (f"{LIST}/nobody", 404),
        (f"{LIST}?x=1", 422),
        ("/api/v1/catalogue", 200),
        ("/api/v1/limit", 200),
        ("/api/v1/openapi.json", 200),
        (INFOBUTTON, 200),
        ("/infobutton", 422),
    ],
)
def test_a_named_origin_may_read_answers_and_rate_limit_fields(
    make_service: MakeService, origin: str, path: str, status: int
) -> None:
    """Errors too: a script must be able to tell what went wrong."""
    service = make_service(cors_origins=(APP, OTHER_APP))
    service.publish(Catalogue(entries()))

    response = service.get(path, token=service.token(), headers={"Origin": origin})

    assert response.status_code == status
    assert response.headers.getlist("Access-Control-Allow-Origin") == [origin]
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


def test_a_named_origin_may_read_refusals(make_service: MakeService) -> None:
    """401 and 429 as well, with the seconds to wait."""
    service = make_service(cors_origins=(APP,))
    service.publish(Catalogue(entries()))

    for token, status in ((None, 401), (service.token(limit=0), 429)):
        response = service.get(LIST, token=token, headers={"Origin": APP})

        assert response.status_code == status
        assert response.headers["Access-Control-Allow-Origin"] == APP
        assert "Retry-After" in response.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "https://evil.example.org",
        "http://app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org.evil.example",
        "https://xapp.example.org",
        "https://appxexample.org",
        "null",
        "*",
    ],
)
def test_any_other_origin_may_not(make_service: MakeService, origin: str | None) -> None:
    """The response still has the `Vary` field that tells caches that it depends on the origin."""
    service = make_service(cors_origins=(APP, OTHER_APP))
    headers = {} if origin is None else {"Origin": origin}

    for method in ("GET", "OPTIONS"):
        response = service.request(method, "/api/v1/openapi.json", headers=headers)

        assert response.status_code == 200
        assert "Access-Control-Allow-Origin" not in response.headers
        assert "Origin" in response.headers["Vary"]


@pytest.mark.parametrize("path", PATHS)
def test_a_named_origin_may_ask_before_it_sends_a_key(make_service: MakeService, path: str) -> None:
    """A preflight needs no key, and is not counted."""
    service = make_service(cors_origins=(APP,))

    response = service.request(
        "OPTIONS",
        path,
        headers={
            "Origin": APP,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization, if-none-match, x-request-id",
        },
    )

    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == APP
    assert set(response.headers["Access-Control-Allow-Methods"].split(", ")) == {"GET", "HEAD"}
    assert {
        name.lower() for name in response.headers["Access-Control-Allow-Headers"].split(", ")
    } == {"authorization", "if-none-match", "x-request-id"}


def test_a_named_origin_may_search_fhir_as_post(make_service: MakeService) -> None:
    """And nothing else as POST."""
    service = make_service(cors_origins=(APP,))
    headers = {"Origin": APP, "Access-Control-Request-Method": "POST"}
    asked = [
        service.request("OPTIONS", f"/fhir/{path}", headers=headers)
        for path in ("PlanDefinition/_search", "PlanDefinition")
    ]

    assert [each.headers.get("Access-Control-Allow-Methods") for each in asked] == [
        "POST",
        None,
    ]


@pytest.mark.parametrize("path", ["/", "/docs", "/health/live", "/problems"])
def test_pages_are_for_no_other_origin(make_service: MakeService, path: str) -> None:
    """Only the interface is opened."""
    service = make_service(cors_origins=(APP,))

    response = service.get(path, headers={"Origin": APP})

    assert response.status_code == 200
    assert "Access-Control-Allow-Origin" not in response.headers
