"""What a person gets: a redirect to a page of the catalogue, or after a POST the page itself."""

from __future__ import annotations

from urllib.parse import unquote_plus, urlencode

import pytest
from werkzeug.test import TestResponse

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.principal import Readers
from evref.testing.builders import an_entry
from tests.http.conftest import MakeService
from tests.http.service import BASE_URL, Service, assert_problem, body, entries
from tests.infobutton.asking import (
    AS_HTML,
    AS_JSON,
    CRITERION,
    FEEDS,
    ICD10,
    ICD10_CM,
    KNEE,
    Parameters,
    ask,
    coded,
    json_feed,
    named,
    target,
)
from tests.pages.site import a_site
from tests.settings_pages.visitor import Visitor, a_member

pytestmark = pytest.mark.shared_service


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        (KNEE, "/catalogue/knee-osteoarthritis"),
        (KNEE | {"subTopic.v.c": "D012648"}, "/catalogue/knee-osteoarthritis?module=home"),
        (KNEE | {"subTopic.v.c": "Q000209"}, "/catalogue/knee-osteoarthritis"),
        (named("twin"), "/catalogue?q=twin"),
        (named("twin") | {"subTopic.v.c": "Q000517"}, "/catalogue?q=twin&module=prevention"),
        (named("none") | named("twin", "1"), "/catalogue?q=twin%3B+none"),
        (named("none; twin"), "/catalogue?q=none%2C+twin"),
        (
            KNEE | coded(ICD10_CM, "M54.50", "1") | coded("1.2.3", "4", "2"),
            "/catalogue?q=ICD-10-WHO+M17.1%3B+ICD-10-CM+M54.50%3B+code+4+of+the+code+system+1.2.3",
        ),
        (KNEE | named("Knee osteoarthritis", "1"), "/catalogue/knee-osteoarthritis"),
        (
            {f"{CRITERION}.cs{n}": ICD10 for n in range(40)}
            | {f"{CRITERION}.c{n}": f"S83.5X{n:02}" for n in range(40)}
            | named("twin"),
            "/catalogue?q=" + "%3B+".join(f"ICD-10-WHO+S83.5X{n:02}" for n in range(9)),
        ),
    ],
)
def test_a_person_is_redirected_to_the_page(
    service: Service, token: str, asked: Parameters, page: str
) -> None:
    response = ask(service, token, asked | AS_HTML)
    head = service.request("HEAD", response.request.full_path, token=token)

    assert response.status_code == head.status_code == 303
    assert response.headers["Location"] == head.headers["Location"] == BASE_URL + page
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers["X-RateLimit-Remaining"] == "999"
    assert head.headers["X-RateLimit-Remaining"] == "998"


@pytest.mark.parametrize(("readers", "status"), [("public", 303), ("members", 303), ("off", 401)])
def test_a_browser_needs_no_key_for_a_page_that_it_may_read(
    make_service: MakeService, readers: str, status: int
) -> None:
    service = make_service(catalogue_pages=readers)
    service.publish(Catalogue([an_entry()]))
    key = service.new_key()

    page = service.get(target(KNEE | AS_HTML))
    with_key = service.get(target(KNEE | AS_HTML), token=key.token.text)

    assert page.status_code == status
    assert service.get(target(KNEE)).status_code == 401
    assert service.admitted(key) == (0 if readers == "public" else 1)
    if readers == "members":
        sign_in, _, onwards = page.headers["Location"].partition("?next=")
        assert sign_in == f"{BASE_URL}/settings/sign-in"
        assert unquote_plus(onwards) == "/catalogue?q=ICD-10-WHO+M17.1"
    if readers == "public":
        assert page.headers["Location"] == with_key.headers["Location"]
    if readers != "off":
        assert page.headers["Cache-Control"] == "private, no-cache"
        assert page.headers["Vary"] == "Cookie"


def test_a_signed_in_browser_needs_no_key_for_a_page_of_members() -> None:
    site = a_site(Readers.MEMBERS, Catalogue([an_entry()]))
    member, visitor = a_member(site), Visitor(site)

    answer = member.get(target(KNEE | AS_HTML))

    assert answer.status_code == 303
    assert answer.headers["Location"].endswith("/catalogue/knee-osteoarthritis")
    assert "/settings/sign-in?next=" in visitor.get(target(KNEE | AS_HTML)).headers["Location"]
    assert member.get(target(KNEE)).status_code == 401


def test_nobody_is_redirected_if_the_pages_are_off(make_service: MakeService) -> None:
    service = make_service(catalogue_pages=Readers.OFF)
    service.publish(Catalogue(entries()))
    token = service.token()

    refused = ask(service, token, KNEE | AS_HTML)
    feed = json_feed(service, token, KNEE)

    (fault,) = assert_problem(refused, 422)["errors"]
    assert fault["allowed"] == FEEDS
    for entry in feed["entry"]:
        (link,) = entry["link"]
        assert link["type"] == "application/json"
        assert service.get(link["href"].removeprefix(BASE_URL), token=token).status_code == 200
        assert "/catalogue/" not in entry["summary"]["_value"]


FORM = "application/x-www-form-urlencoded"


def post(
    service: Service, token: str | None, parameters: Parameters, path: str = "/infobutton"
) -> TestResponse:
    headers = {"Content-Type": FORM}
    return service.request("POST", path, token=token, headers=headers, data=urlencode(parameters))


def test_a_posted_request_gets_the_feed_of_a_get(service: Service, token: str) -> None:
    asked = KNEE | AS_JSON

    posted = post(service, token, asked)
    got = service.get(target(asked), token=token)

    assert posted.status_code == 200
    assert posted.get_data() == got.get_data()
    assert posted.mimetype == "application/json"
    assert posted.headers["Cache-Control"] == "no-store"
    assert posted.headers["X-RateLimit-Remaining"] == "999"
    assert got.headers["X-RateLimit-Remaining"] == "998"


def test_parameters_of_the_address_are_joined_with_the_form(service: Service, token: str) -> None:
    path = f"/infobutton?{urlencode({f'{CRITERION}.cs': ICD10} | AS_JSON)}"

    response = post(service, token, {f"{CRITERION}.c": "M17.1"}, path)

    assert body(response)["feed"]["entry"][0]["title"]["_value"] == "Knee osteoarthritis"


def test_a_posted_request_can_be_refused(service: Service, token: str) -> None:
    as_text = service.request(
        "POST", "/infobutton", token=token, headers={"Content-Type": "text/xml"}, data="<a/>"
    )
    too_long = post(service, token, KNEE | {"x": "x" * 16 * 1024})
    without_key = post(service, None, KNEE | AS_JSON)
    invalid = post(service, token, AS_JSON)

    assert as_text.status_code == 415
    assert too_long.status_code == 413
    assert without_key.status_code == 401
    assert without_key.mimetype == "application/problem+json"
    assert body(invalid)["status"] == 422


def test_a_browser_that_posts_gets_the_page_itself() -> None:
    """A redirect would put codes into an address."""
    visitor = Visitor(a_site(Readers.PUBLIC, Catalogue([an_entry()])))

    page = visitor.send("/infobutton", **KNEE, **AS_HTML)
    several = visitor.send("/infobutton", **coded(ICD10, "B05"), **AS_HTML)

    assert page.status_code == several.status_code == 200
    assert page.mimetype == "text/html"
    assert "<h1" in page.text
    assert "Knee osteoarthritis" in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert "ETag" not in page.headers
    assert "No diagnosis matches your search" in several.text


def test_words_that_lead_to_a_page_by_name_are_answered_with_it() -> None:
    """The search page would redirect to it."""
    visitor = Visitor(a_site(Readers.PUBLIC, Catalogue([an_entry()])))

    page = visitor.send("/infobutton", **coded("1.2.3", "4", name="Knee osteoarthritis"), **AS_HTML)

    assert page.status_code == 200
    assert "<h1" in page.text
    assert "Location" not in page.headers


def test_who_is_not_signed_in_gets_the_sign_in_form_without_codes() -> None:
    site = a_site(Readers.MEMBERS, Catalogue([an_entry()]))
    member, visitor = a_member(site), Visitor(site)

    form = visitor.send("/infobutton", **KNEE, **AS_HTML)
    page = member.send("/infobutton", **KNEE, **AS_HTML)

    assert form.status_code == 200
    assert "press the info button of the record again" in form.text
    assert 'action="/settings/sign-in?next=/catalogue"' in form.text
    assert "M17" not in form.text
    assert "Knee osteoarthritis" in page.text


def test_a_wrong_key_gets_no_page() -> None:
    service = a_site(Readers.MEMBERS, Catalogue([an_entry()]))

    response = Visitor(service).send_with(
        {"Authorization": "Bearer x"}, "/infobutton", **named("knee"), **AS_HTML
    )

    assert response.status_code == 401
