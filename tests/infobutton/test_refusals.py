"""Refusals as problem details, in XML or in JSON."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from werkzeug.test import TestResponse

from evref.domain.access.key import Permission
from evref.testing.builders import OPERATOR
from tests.http.document import plain_body
from tests.http.service import Service, assert_problem
from tests.infobutton.asking import AS_HTML, AS_JSON, KNEE, ask, target

PROBLEM = "{urn:ietf:rfc:7807}"

pytestmark = pytest.mark.shared_service


def xml_problem(response: TestResponse, status: int) -> ET.Element:
    """Check that the response is a problem in XML, and return it (RFC 9457, appendix B)."""
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


@pytest.mark.parametrize(
    ("status", "slug"),
    [
        (401, "missing-credentials"),
        (401, "invalid-api-key"),
        (403, "insufficient-permission"),
        (429, "quota-exceeded"),
    ],
)
def test_a_refusal_is_in_the_requested_media_type(service: Service, status: int, slug: str) -> None:
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
    # A request without a key is that of a browser, which gets the sign-in page.
    for_a_page = service.get(target(KNEE | AS_HTML), token=token) if token else in_xml

    problem = xml_problem(in_xml, status)
    xml_problem(for_a_page, status)
    assert problem.findtext(f"{PROBLEM}type", "").endswith(slug)
    assert assert_problem(in_json, status)["type"] == problem.findtext(f"{PROBLEM}type")
    for response in (in_xml, in_json, for_a_page):
        assert ("WWW-Authenticate" in response.headers) == (status != 429)
        assert ("Retry-After" in response.headers) == (status == 429)
        assert ("RateLimit" in response.headers) == (status == 429)
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/infobutton/", "/infobutton/x"])
def test_a_path_below_infobutton_is_not_found(service: Service, path: str) -> None:
    problem = xml_problem(service.get(path), 404)

    assert problem.findtext(f"{PROBLEM}instance") == path


def test_the_members_of_an_error_are_elements(service: Service, token: str) -> None:
    """In the schema of RFC 9457, the items of a list are elements named `i`."""
    problem = xml_problem(ask(service, token, {}), 422)

    (fault,) = problem.findall(f"{PROBLEM}errors/{PROBLEM}i")
    assert fault.findtext(f"{PROBLEM}parameter") == "mainSearchCriteria.v.c"
    assert fault.findtext(f"{PROBLEM}message") == "is missing"
    (allowed,) = fault.findall(f"{PROBLEM}allowed/{PROBLEM}i")
    assert (allowed.text or "").startswith("a code, and its code system")


def test_hostile_values_in_an_error_are_text(service: Service, token: str) -> None:
    """The problem must be valid XML."""
    hostile = "<i>\x00\ufffe]]>&"

    response = ask(service, token, KNEE | {"mainSearchCriteria.v.c": hostile})

    (fault,) = xml_problem(response, 422).findall(f"{PROBLEM}errors/{PROBLEM}i")
    assert fault.findtext(f"{PROBLEM}message") == 'is malformed: "<i>\ufffd\ufffd]]>&"'
