"""A service below a path: every address that it writes has the path, and no request needs it."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from evref.bootstrap.settings import Settings, SettingsError
from tests.http.conftest import MakeService
from tests.http.service import EXAMPLES, Service, body

ADDRESS = "https://hospital.example/evref"
OWN = re.compile(r'(?:href|src|action|data-suggest|url|content)="(/[^"]*|https://hospital[^"]*)"')
PAGES = [
    *("/", "/catalogue", "/catalogue/knee-osteoarthritis", "/catalogue/changes", "/evidence"),
    *("/about", "/docs", "/problems", "/problems/not-found", "/settings/sign-in", "/nothing"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    settings = {"base_url": ADDRESS, "catalogue_pages": "public", "storage": "memory"}
    with closing(Service(Settings.model_validate(settings))) as service:
        service.publish(EXAMPLES)
        yield service


@pytest.mark.parametrize("prefix", ["", "/evref"], ids=["stripped", "passed on"])
@pytest.mark.parametrize("path", PAGES)
def test_every_address_on_a_page_has_the_path(service: Service, path: str, prefix: str) -> None:
    page = service.app.test_client().get(f"{prefix}{path}")
    addresses = OWN.findall(page.text)

    assert page.status_code == (404 if path == "/nothing" else 200)
    assert addresses
    assert [
        one
        for one in addresses
        if not one.removeprefix("https://hospital.example").startswith("/evref/")
    ] == []


@pytest.mark.parametrize("prefix", ["", "/evref"])
def test_the_interfaces_write_the_path(service: Service, prefix: str) -> None:
    client, token = service.app.test_client(), service.token()
    bearer = {"Authorization": f"Bearer {token}"}
    problem = body(client.get(f"{prefix}/api/v1/diagnoses/nothing", headers=bearer))
    document = body(client.get(f"{prefix}/api/v1/openapi.json"))
    feed = client.get(
        f"{prefix}/infobutton?mainSearchCriteria.v.cs=2.16.840.1.113883.6.3"
        "&mainSearchCriteria.v.c=M17.1&knowledgeResponseType=application/json",
        headers=bearer,
    )
    bundle = client.get(f"{prefix}/fhir/PlanDefinition", headers=bearer).text

    assert problem["type"] == f"{ADDRESS}/problems/unknown-diagnosis"
    assert problem["instance"] == "/evref/api/v1/diagnoses/nothing"
    assert document["servers"][0]["url"] == ADDRESS
    assert re.findall(r"https://hospital\.example(?!/evref)", feed.text + bundle) == []
    assert f"{ADDRESS}/catalogue/knee-osteoarthritis" in feed.text
    assert f"{ADDRESS}/fhir/PlanDefinition" in bundle


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("/evref", "/"),
        ("/evref/Catalogue/", "/catalogue"),
        ("/Catalogue/", "/catalogue"),
        ("/evref//evil.example/catalogue", None),
        ("/evref/evref/catalogue", None),
        ("/evreference", None),
    ],
)
def test_another_spelling_redirects_below_the_path(
    service: Service, sent: str, written: str | None
) -> None:
    response = service.app.test_client().get(sent)

    assert response.status_code == (404 if written is None else 308)
    assert response.headers.get("Location") == (written and f"{ADDRESS}{written}")


@pytest.mark.parametrize("path", ["/health/live", "/evref/health/live"])
def test_health_answers_in_both_forms(service: Service, path: str) -> None:
    assert body(service.app.test_client().get(path)) == {"status": "live"}


def test_cookies_are_for_the_path_alone(service: Service) -> None:
    response = service.app.test_client().get("/evref/settings/sign-in")
    cookies = response.headers.getlist("Set-Cookie")

    assert cookies
    assert all(cookie.startswith("__Secure-") for cookie in cookies)
    assert all("Path=/evref;" in f"{cookie};" and "; Secure" in cookie for cookie in cookies)


def test_a_visitor_is_led_to_the_page_and_back_below_the_path(make_service: MakeService) -> None:
    service = make_service(base_url=ADDRESS)
    service.publish(EXAMPLES)

    response = service.app.test_client().get("/evref/catalogue/gout")

    assert response.headers["Location"] == "/evref/settings/sign-in?next=/catalogue/gout"


def test_the_form_to_sign_in_leads_back_to_the_page(make_service: MakeService) -> None:
    client = make_service(base_url=ADDRESS).app.test_client()
    form = re.compile(r'<form method="post" action="([^"]*)"')

    (action,) = form.findall(client.get("/evref/settings/sign-in?next=/catalogue").text)

    assert action == "/evref/settings/sign-in?next=/evref/catalogue"
    assert form.findall(client.get(action).text) == [action]


@pytest.mark.parametrize("path", ["/API/x", "/catalogue"])
def test_a_path_of_the_service_itself_is_refused(make_service: MakeService, path: str) -> None:
    with pytest.raises(
        SettingsError, match=f"^EVREF_BASE_URL must not begin with {path[:4].lower()}"
    ):
        make_service(base_url=f"https://hospital.example{path}")
