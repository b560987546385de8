"""Responses for a person, which redirect to a page of the catalogue."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.principal import Readers
from evref.testing.builders import an_entry
from tests.http.conftest import MakeService
from tests.http.service import BASE_URL, Service, entries
from tests.infobutton.asking import (
    AS_HTML,
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

    assert refused.status_code == 422
    assert re.findall("<i>([a-z/+]+)</i>", refused.text) == FEEDS
    for entry in feed["entry"]:
        (link,) = entry["link"]
        assert link["type"] == "application/json"
        assert service.get(link["href"].removeprefix(BASE_URL), token=token).status_code == 200
        assert "/catalogue/" not in entry["summary"]["_value"]
