"""Requests whose criteria are posted as a form, to keep codes out of addresses."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from werkzeug.test import TestResponse

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.principal import Readers
from evref.testing.builders import an_entry
from tests.http.service import Service, body
from tests.infobutton.asking import (
    AS_HTML,
    AS_JSON,
    CRITERION,
    FEEDS,
    ICD10,
    KNEE,
    Parameters,
    coded,
    named,
    target,
)
from tests.pages.site import a_site
from tests.settings_pages.visitor import Visitor, a_member

pytestmark = pytest.mark.shared_service

FORM = "application/x-www-form-urlencoded"


def post(
    service: Service, token: str | None, parameters: Parameters, path: str = "/infobutton"
) -> TestResponse:
    headers = {"Content-Type": FORM}
    return service.request("POST", path, token=token, headers=headers, data=urlencode(parameters))


@pytest.mark.parametrize("response_type", FEEDS)
def test_a_posted_request_gets_the_feed_of_a_get(
    service: Service, token: str, response_type: str
) -> None:
    asked = KNEE | {"knowledgeResponseType": response_type}

    posted = post(service, token, asked)
    got = service.get(target(asked), token=token)

    assert posted.status_code == 200
    assert posted.get_data() == got.get_data()
    assert posted.mimetype == response_type
    assert posted.headers["Cache-Control"] == "no-store"
    assert posted.headers["X-RateLimit-Remaining"] == "999"
    assert got.headers["X-RateLimit-Remaining"] == "998"


def test_parameters_of_the_address_are_joined_with_the_form(service: Service, token: str) -> None:
    path = f"/infobutton?{urlencode({f'{CRITERION}.cs': ICD10} | AS_JSON)}"

    response = post(service, token, {f"{CRITERION}.c": "M17.1"}, path)

    assert body(response)["feed"]["entry"][0]["title"]["_value"] == "Knee osteoarthritis"


def test_a_posted_request_can_be_refused(service: Service, token: str) -> None:
    """A problem has the form that the body asks for."""
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
