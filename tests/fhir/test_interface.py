"""Admission, limits, errors and HTTP in FHIR's formats."""

from __future__ import annotations

from datetime import datetime

import pytest
from werkzeug.test import TestResponse

from evref.adapters.inbound.fhir import search
from tests.fhir.conftest import ids, new_service
from tests.http.service import BASE_URL, Service, assert_outcome, body

SEARCH = "/fhir/PlanDefinition"
PLAN = f"{SEARCH}/knee-osteoarthritis"
ACTIVITY = "/fhir/ActivityDefinition/k-tape"
METADATA = "/fhir/metadata"


def test_a_refusal_at_the_limit_says_when_to_try_again(service: Service) -> None:
    response = service.get(PLAN, token=service.token(limit=0))

    (issue,) = assert_outcome(response, 429, "throttled")
    assert issue["details"]["coding"] == [
        {"system": "https://iana.org/assignments/http-problem-types", "code": "quota-exceeded"}
    ]
    assert int(response.headers["Retry-After"]) == 3601
    assert response.headers["RateLimit"] == '"daily";r=0;t=3601'


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/fhir+json",
        "application/fhir+json; fhirVersion=4.0",
        "application/json",
        "text/json",
        "application/fhir+xml, application/fhir+json;q=0.5",
        "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
        "*",
    ],
)
@pytest.mark.parametrize("path", [PLAN, METADATA])
def test_every_name_of_json_is_accepted(
    service: Service, token: str, path: str, accept: str | None
) -> None:
    headers = {} if accept is None else {"Accept": accept}

    response = service.get(path, token=token, headers=headers)

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/fhir+json"


@pytest.mark.parametrize(
    ("accept", "format"),
    [
        ("application/fhir+xml", None),
        ("application/fhir+json; fhirVersion=3.0", None),
        ("application/fhir+json;q=0", None),
        (None, "application/fhir+xml"),
        (None, "html"),
        ("application/fhir+json", "ttl"),
    ],
)
@pytest.mark.parametrize("path", [PLAN, METADATA])
def test_an_unavailable_format_is_not_acceptable(
    service: Service,
    token: str,
    path: str,
    accept: str | None,
    format: str | None,  # noqa: A002
) -> None:
    """This holds even if a response in JSON is cached."""
    assert service.get(path, token=token).status_code == 200
    headers = {} if accept is None else {"Accept": accept}

    response = service.get(
        path if format is None else f"{path}?_format={format}", token=token, headers=headers
    )

    (issue,) = assert_outcome(response, 406, "not-supported")
    assert "application/fhir+json" in issue["details"]["text"]


@pytest.mark.parametrize("path", [PLAN, SEARCH, METADATA])
def test_the_parameter_for_the_format_overrides_the_header(
    service: Service, token: str, path: str
) -> None:
    """A person who enters an address in a browser can set only the parameter."""
    xml = {"Accept": "application/fhir+xml"}
    for name in ("json", "application/json", "application/fhir%2Bjson", "JSON"):
        for _ in range(2):
            response = service.get(f"{path}?_format={name}", token=token, headers=xml)
            assert response.status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "mode=full&_pretty=true",
        "mode=normative",
        "mode=terminology",
        "_summary=true",
        "_elements=url",
    ],
)
def test_the_capability_statement_is_the_same_in_every_mode(service: Service, query: str) -> None:
    """Some clients cannot start without `_summary`."""
    statement = service.get(f"{METADATA}?{query}")

    assert body(statement) == body(service.get(METADATA))


@pytest.mark.parametrize("is_cached", [False, True])
def test_an_unchanged_resource_is_not_sent_again(*, is_cached: bool) -> None:
    """`If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110, section 13.1.3)."""
    service = new_service()
    token = service.token()
    if is_cached:
        service.get(PLAN, token=token)

    def status(**fields: str) -> int:
        names = {"since": "If-Modified-Since", "none_match": "If-None-Match"}
        sent = {names[name]: value for name, value in fields.items()}
        return service.get(PLAN, token=token, headers=sent).status_code

    last_modified = service.get(PLAN, token=token).headers["Last-Modified"]
    assert status(since=last_modified) == 304
    assert status(since="Sat, 01 Jan 2050 00:00:00 GMT") == 304
    assert status(since="Sat, 01 Jan 2000 00:00:00 GMT") == 200
    assert status(since="yesterday") == 200
    assert status(since=last_modified, none_match='"another"') == 200


@pytest.mark.parametrize("path", [PLAN, ACTIVITY, "/fhir/CodeSystem/direction"])
def test_the_header_says_when_a_resource_last_changed(
    service: Service, token: str, path: str
) -> None:
    response = service.get(path, token=token)

    changed_at = datetime.fromisoformat(body(response)["meta"]["lastUpdated"])
    assert response.last_modified == changed_at
    headers = {"If-Modified-Since": response.headers["Last-Modified"]}
    assert service.get(path, token=token, headers=headers).status_code == 304


def test_the_capability_statement_lists_types_and_parameters(service: Service) -> None:
    statement = body(service.get(METADATA))

    assert statement["resourceType"] == "CapabilityStatement"
    assert statement["fhirVersion"] == "4.0.1"
    assert statement["implementation"]["url"] == f"{BASE_URL}/fhir"
    (rest,) = statement["rest"]
    assert [resource["type"] for resource in rest["resource"]] == [*search.SEARCH]
    for resource in rest["resource"]:
        codes = [interaction["code"] for interaction in resource["interaction"]]
        assert codes == ["read", "search-type"]
        named = {parameter["name"] for parameter in resource["searchParam"]}
        parameters = search.SEARCH[resource["type"]].keys()
        assert named <= parameters
        assert parameters - named <= {
            *("_count", "_after", "_format", "_summary", "_elements", "_include"),
            *("_totalMethod", "_total", "_sort", "_pretty", "title:exact", "title:contains"),
        }


FORM = "application/x-www-form-urlencoded"


def test_a_search_with_post_finds_and_counts_like_get(service: Service) -> None:
    """The parameters of the form and of the address are joined, and no cache keeps the response."""
    key = service.new_key(limit=3)
    token = key.token.text
    path = f"{SEARCH}/_search?_format=json"

    def post(data: str, *, kind: str = FORM, **headers: str) -> TestResponse:
        fields = {"Content-Type": kind, **headers}
        return service.request("POST", path, token=token, data=data, headers=fields)

    response = post("context=M17.1&_count=5")
    malformed = post("modul=home")
    in_json = post("{}", kind="application/json")
    limited = post("context=M17.1")

    assert ids(body(response)) == ["knee-osteoarthritis"]
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-RateLimit-Remaining"] == "2"
    assert "ETag" not in response.headers
    assert "_format=json&context=M17.1" in body(response)["link"][0]["url"]
    assert_outcome(malformed, 400, "invalid")
    assert_outcome(in_json, 415)
    assert_outcome(limited, 429, "throttled")
    assert service.admitted(key) == 3


def test_a_search_with_post_accepts_a_key_only_in_the_header(service: Service, token: str) -> None:
    form = {"Content-Type": FORM}

    response = service.request(
        "POST", f"{SEARCH}/_search", data=f"access_token={token}", headers=form
    )
    long = service.request(
        "POST", f"{SEARCH}/_search", token=token, data="title=" + "x" * 16_384, headers=form
    )

    assert_outcome(response, 401, "login")
    assert_outcome(long, 413)
    for method in ("PUT", "DELETE"):
        refused = service.request(method, f"{SEARCH}/_search", token=token)
        assert_outcome(refused, 405, "not-supported")
        assert refused.headers["Allow"] == "GET, HEAD, POST"
