"""Refusals in the form of this interface: problem details, in XML or in JSON."""

from __future__ import annotations

from unittest.mock import patch
from xml.etree import ElementTree as ET

import pytest
from werkzeug.test import TestResponse

from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import OPERATOR
from tests.http.conftest import MakeService
from tests.http.document import plain_body
from tests.http.service import BASE_URL, Service, assert_problem, entries
from tests.infobutton.asking import AS_HTML, AS_JSON, KNEE, ask, json_feed, target

PROBLEM = "{urn:ietf:rfc:7807}"


def xml_problem(response: TestResponse, status: int) -> ET.Element:
    """The problem in an answer (RFC 9457, appendix B)."""
    assert response.status_code == status
    assert response.mimetype == "application/problem+xml"
    problem = ET.fromstring(plain_body(response))
    assert problem.tag == f"{PROBLEM}problem"
    assert problem.findtext(f"{PROBLEM}status") == str(status)
    assert problem.findtext(f"{PROBLEM}instance", "").startswith("/infobutton")
    assert problem.findtext(f"{PROBLEM}request_id") == response.headers["X-Request-ID"]
    for name in ("type", "title", "detail"):
        assert problem.findtext(f"{PROBLEM}{name}")
    return problem


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize(
    ("status", "slug"),
    [
        (401, "missing-credentials"),
        (401, "invalid-api-key"),
        (403, "insufficient-permission"),
        (429, "quota-exceeded"),
    ],
)
def test_a_refusal_is_in_the_form_that_was_requested(
    service: Service, status: int, slug: str, *, cached: bool
) -> None:
    """XML unless the request is one of JSON; the same whether or not the answer is cached."""
    if cached:
        for form in ({}, AS_JSON):
            assert ask(service, service.token(), KNEE | form).status_code == 200
    revoked = service.new_key()
    service.container.manage_keys().revoke(OPERATOR, revoked.key.id)
    token = {
        "missing-credentials": None,
        "invalid-api-key": revoked.token.text,
        "insufficient-permission": service.token(permission=Permission.NONE),
        "quota-exceeded": service.token(limit=0),
    }[slug]

    in_xml = service.get(target(KNEE), token=token)
    in_json = service.get(target(KNEE | AS_JSON), token=token)
    for_a_page = service.get(target(KNEE | AS_HTML), token=token)

    problem = xml_problem(in_xml, status)
    xml_problem(for_a_page, status)
    assert problem.findtext(f"{PROBLEM}type", "").endswith(slug)
    assert assert_problem(in_json, status)["type"] == problem.findtext(f"{PROBLEM}type")
    for response in (in_xml, in_json, for_a_page):
        assert ("WWW-Authenticate" in response.headers) == (status != 429)
        assert ("Retry-After" in response.headers) == (status == 429)
        assert ("RateLimit" in response.headers) == (status == 429)
        assert response.headers["Cache-Control"] == "no-store"


def test_exactly_as_many_requests_are_answered_as_the_limit_says(service: Service) -> None:
    """Found or not, feed or page, cached or not, right or wrong: each counts one."""
    key = service.new_key(limit=6)
    asked = [
        KNEE,
        KNEE,
        KNEE | AS_JSON,
        KNEE | AS_HTML,
        {"mainSearchCriteria.v.dn": "no such"},
        {},
        KNEE,
    ]

    statuses = [ask(service, key.token.text, each).status_code for each in asked]

    assert statuses == [200, 200, 200, 303, 200, 422, 429]
    assert service.admitted(key) == 6


def test_without_a_catalogue_nothing_is_answered_or_counted(make_service: MakeService) -> None:
    service = make_service()
    key = service.new_key()

    response = ask(service, key.token.text, KNEE)

    problem = xml_problem(response, 503)
    assert problem.findtext(f"{PROBLEM}type") == f"{BASE_URL}/problems/service-unavailable"
    assert int(response.headers["Retry-After"]) >= 1
    assert service.admitted(key) == 0


def test_storage_that_is_out_of_reach_is_a_503(service: Service, token: str) -> None:
    """As for the API; `tests/http/test_storage_out_of_reach.py` has the details."""
    admission = type(service.container.storage().admission)
    with patch.object(admission, "admit", side_effect=StorageUnavailableError("x")):
        response = ask(service, token, KNEE)

    xml_problem(response, 503)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
def test_another_method_is_refused_with_those_that_are_allowed(
    service: Service, method: str
) -> None:
    """Also POST, which the guide has as an option; nothing is counted."""
    key = service.new_key()

    response = service.request(method, target(KNEE), token=key.token.text)

    xml_problem(response, 405)
    assert response.headers["Allow"] == "GET, HEAD"
    assert service.admitted(key) == 0


@pytest.mark.parametrize("path", ["/infobutton/", "/infobutton/x"])
def test_a_path_below_is_not_found(service: Service, path: str) -> None:
    problem = xml_problem(service.get(path), 404)

    assert problem.findtext(f"{PROBLEM}instance") == path


def test_the_members_of_an_error_are_elements(service: Service, token: str) -> None:
    """The items of a list are elements named `i`, as the schema of RFC 9457 has them."""
    problem = xml_problem(ask(service, token, {}), 422)

    (fault,) = problem.findall(f"{PROBLEM}errors/{PROBLEM}i")
    assert fault.findtext(f"{PROBLEM}parameter") == "mainSearchCriteria.v.c"
    assert fault.findtext(f"{PROBLEM}message") == "is missing"
    (allowed,) = fault.findall(f"{PROBLEM}allowed/{PROBLEM}i")
    assert (allowed.text or "").startswith("a code, and its code system")


def test_hostile_values_in_an_error_are_text(service: Service, token: str) -> None:
    """The problem can be read."""
    hostile = "<i>\x00\ufffe]]>&"

    response = ask(service, token, KNEE | {"mainSearchCriteria.v.c": hostile})

    (fault,) = xml_problem(response, 422).findall(f"{PROBLEM}errors/{PROBLEM}i")
    assert fault.findtext(f"{PROBLEM}message") == 'is malformed: "<i>\ufffd\ufffd]]>&"'


def test_it_can_be_switched_off(make_service: MakeService) -> None:
    """Then it is a path that the service does not have, with or without a key."""
    service = make_service(infobutton=False)
    service.publish(Catalogue(entries()))
    key = service.new_key()

    response = service.get(target(KNEE), token=key.token.text)
    unknown = service.get("/nothing", token=key.token.text)

    assert response.status_code == unknown.status_code == 404
    assert response.mimetype == unknown.mimetype == "text/html"
    assert "/infobutton" not in service.get("/").text
    assert service.admitted(key) == 0


def test_the_front_page_shows_it(service: Service) -> None:
    assert "HL7 Infobutton" in service.get("/").text


def test_a_changed_catalogue_is_answered_from(service: Service, token: str) -> None:
    """A response that was kept is not used for another catalogue."""
    before = json_feed(service, token, KNEE)

    service.publish(Catalogue(entries()[1:]))
    service.clock.advance(1)

    assert before["entry"]
    assert json_feed(service, token, KNEE)["entry"] == []
