"""The whole catalogue in one response: its records, media types, ETags and count."""

from __future__ import annotations

import json

import pytest
from werkzeug.test import TestResponse

from evref.domain.catalogue.catalogue import Catalogue
from tests.http.conftest import MakeService
from tests.http.document import plain_body
from tests.http.service import BASE_URL, Service, assert_problem, body, entries

LIST = "/api/v1/diagnoses"
CATALOGUE = "/api/v1/catalogue"
JSON = "application/json"
LINES = "application/x-ndjson"
GZIP = {"Accept-Encoding": "gzip"}

pytestmark = pytest.mark.shared_service


def lines(response: TestResponse) -> list[object]:
    """Return the records of a response in lines of JSON."""
    assert response.mimetype == LINES
    return [json.loads(line) for line in plain_body(response).decode().splitlines()]


def test_the_catalogue_has_the_records_of_the_other_endpoints(service: Service, token: str) -> None:
    whole = body(service.get(CATALOGUE, token=token))

    listed = body(service.get(LIST, token=token))
    assert [record["diagnosis"] for record in whole["data"]] == listed["data"]
    for record in whole["data"]:
        path = f"{LIST}/{record['diagnosis']['id']}/interventions"
        assert record["interventions"] == service.data(path, token)
    assert whole["meta"] == listed["meta"]


@pytest.mark.parametrize("encoding", [{}, GZIP])
def test_lines_are_the_records_of_the_data(
    service: Service, token: str, encoding: dict[str, str]
) -> None:
    as_json = service.data(CATALOGUE, token)

    as_lines = service.get(CATALOGUE, token=token, headers={"Accept": LINES, **encoding})

    assert lines(as_lines) == as_json
    assert as_lines.content_encoding == encoding.get("Accept-Encoding")


@pytest.mark.parametrize(
    ("licence", "link"),
    [("https://example.org/l", '<https://example.org/l>; rel="license", '), (None, "")],
)
def test_lines_have_their_meta_in_header_fields(
    make_service: MakeService, licence: str | None, link: str
) -> None:
    service = make_service(licence=licence)
    catalogue = Catalogue(entries())
    service.publish(catalogue)

    token = service.token()
    meta = body(service.get(CATALOGUE, token=token))["meta"]

    fields = service.get(CATALOGUE, token=token, headers={"Accept": LINES}).headers

    assert meta["licence"] == licence
    assert fields["Evref-Catalogue-Version"] == catalogue.version
    assert fields["Link"] == f'{link}<{BASE_URL}/evidence>; rel="terms-of-service"'


def test_a_range_is_ignored(service: Service, token: str) -> None:
    """A part of a record would be useless."""
    whole = service.get(CATALOGUE, token=token)

    response = service.get(CATALOGUE, token=token, headers={"Range": "bytes=0-9"})

    assert response.status_code == 200
    assert response.get_data() == whole.get_data()


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, JSON),
        (LINES, LINES),
        ("APPLICATION/X-NDJSON", LINES),
        (f"{JSON};q=0.5, {LINES};charset=utf-8;q=0.9", LINES),
        ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", JSON),
        ("*", JSON),
        (f"{JSON};q=0, *;q=0.1", LINES),
    ],
)
def test_the_media_type_is_negotiated(
    service: Service, token: str, accept: str | None, media_type: str
) -> None:
    headers = {} if accept is None else {"Accept": accept}

    response = service.get(CATALOGUE, token=token, headers=headers)

    assert response.status_code == 200
    assert response.content_type == media_type
    assert response.headers["Vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize("accept", ["text/csv", "text/html", "nonsense", f"{JSON};q=0", "*/*;q=0"])
def test_a_client_that_accepts_neither_gets_406(service: Service, accept: str) -> None:
    key = service.new_key()

    response = service.get(CATALOGUE, token=key.token.text, headers={"Accept": accept})

    problem = assert_problem(response, 406, "not-acceptable")
    assert JSON in problem["detail"]
    assert LINES in problem["detail"]
    assert service.admitted(key) == 1


def test_each_media_type_and_encoding_has_its_own_etag(service: Service, token: str) -> None:
    forms = [{}, GZIP, {"Accept": LINES}, {"Accept": LINES, **GZIP}]
    etags = [service.get(CATALOGUE, token=token, headers=form).headers["ETag"] for form in forms]

    assert len(set(etags)) == len(forms)
    for number, form in enumerate(forms):
        for other, etag in enumerate(etags):
            headers = {**form, "If-None-Match": etag}
            response = service.get(CATALOGUE, token=token, headers=headers)
            assert response.status_code == (304 if other == number else 200)
            assert response.headers["Vary"] == "Accept, Accept-Encoding"


def test_an_empty_catalogue_can_be_read(make_service: MakeService) -> None:
    service = make_service()
    service.publish(Catalogue([]))
    token = service.token()

    as_lines = service.get(CATALOGUE, token=token, headers={"Accept": LINES, **GZIP})

    assert service.data(CATALOGUE, token) == []
    assert as_lines.status_code == 200
    assert as_lines.get_data() == b""
