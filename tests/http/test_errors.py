"""Problem details, request ids, and what responses never reveal."""

from __future__ import annotations

import logging
import re
from datetime import date
from typing import NoReturn

import pytest
from dependency_injector import providers
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
)

from evref.adapters.inbound.web.problems import (
    DOCUMENTED,
    InvalidParametersError,
    MissingCredentialsError,
    NotAcceptableError,
    ParameterFault,
    SearchBusyError,
)
from evref.bootstrap.app import create_app
from evref.domain.access.quota import Quota, QuotaExceededError
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import (
    BusyError,
    EvrefError,
    InsufficientPermissionError,
    InvalidApiKeyError,
    NoCatalogueError,
    NotFoundError,
    RemovedDiagnosisError,
    RemovedInterventionError,
    StorageUnavailableError,
    UnknownDiagnosisError,
    UnknownInterventionError,
)
from evref.testing.builders import NOON
from tests.http.conftest import MakeService
from tests.http.service import BASE_URL, Service, assert_problem, body, entries

LIST = "/api/v1/diagnoses"
BY_CODE = "is not in the catalogue. To find diagnoses by a code, use listDiagnoses: "


@pytest.mark.shared_service
def test_every_problem_type_has_its_page(service: Service) -> None:
    """One page lists all types. The type of `quota-exceeded` is registered with IANA."""
    overview = service.get("/problems").text

    for slug, problem in DOCUMENTED.items():
        page = service.get(f"/problems/{slug}")
        assert page.status_code == 200
        assert page.mimetype == "text/html"
        assert problem.slug in page.text
        assert f'href="/problems/{slug}"' in overview
        assert problem.type or problem.type_uri(BASE_URL) == f"{BASE_URL}/problems/{slug}"


def words(text: str) -> set[str]:
    """Return the words that carry the meaning of a sentence."""
    empty = {"the", "a", "an", "is", "are", "it", "this", "of", "for", "to", "that", "and", "or"}
    return set(re.findall(r"[^\W_]+", text.lower())) - empty


class _UnknownError(EvrefError):
    """An error that the table of problems does not contain."""


class _FailingBrowse:
    error: Exception

    def current(self) -> NoReturn:
        raise self.error


@pytest.fixture
def failing(service: Service) -> _FailingBrowse:
    """Return a fake that makes the service fail as soon as it reads the catalogue."""
    failing = _FailingBrowse()
    service.container.browse.override(providers.Object(failing))
    service.app = create_app(service.container.settings(), service.container)
    return failing


def test_title_and_detail_say_different_things(
    service: Service, token: str, failing: _FailingBrowse
) -> None:
    """At most a third of the detail's words are in the title, whatever raised the problem."""
    titles = set()
    for failing.error in (
        MissingCredentialsError(),
        InvalidApiKeyError(),
        InsufficientPermissionError(),
        UnknownDiagnosisError("knee"),
        RemovedDiagnosisError("knee", date(2026, 3, 1)),
        UnknownInterventionError("knee-tape"),
        RemovedInterventionError("knee-tape", date(2026, 3, 1)),
        *(NotFound(), NotFoundError("API key", "1")),
        NotAcceptableError(["text/csv", "text/html"]),
        MethodNotAllowed(valid_methods=["GET", "HEAD"]),
        InvalidParametersError(ParameterFault("q", "is given more than once", ())),
        QuotaExceededError(Quota("k1", 1000, 1000, NOON)),
        *(StorageUnavailableError("x"), NoCatalogueError(), BusyError(), SearchBusyError()),
        RuntimeError(),
        *(RequestEntityTooLarge(), Forbidden(), BadRequest()),
    ):
        with service.app.test_client() as client:
            problem = body(client.get(LIST, headers={"Authorization": f"Bearer {token}"}))

        said = words(problem["detail"])
        assert len(said & words(problem["title"])) <= len(said) / 3, problem
        titles.add(problem["title"])
    assert titles >= {problem.title for problem in DOCUMENTED.values()}


@pytest.mark.shared_service
@pytest.mark.parametrize(
    ("path", "instance"),
    [
        ("/api/v1/nothing", "/api/v1/nothing"),
        ("/api/v1/nothing?q=secret", "/api/v1/nothing"),
        ("/api/v1/%E2%82%AC%20%22x%22", "/api/v1/%E2%82%AC%20%22x%22"),
        ("/api/v1/a%0Ab", "/api/v1/a%0Ab"),
        ("/api/v1/%3Cscript%3E", "/api/v1/%3Cscript%3E"),
        ("/API/v1/diagnoses", "/API/v1/diagnoses"),
    ],
)
def test_the_instance_is_the_path_of_the_request(
    service: Service, path: str, instance: str
) -> None:
    assert assert_problem(service.get(path), 404, "not-found")["instance"] == instance


@pytest.mark.shared_service
@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/api/v1/nothing", "There is nothing at /api/v1/nothing."),
        (f"{LIST}/", f"There is nothing at {LIST}/."),
        ("/api", f"There is nothing at /api: the API is described in {BASE_URL}/api/v1/openapi"),
        ("/api/v1", f"There is nothing at /api/v1: the API is described in {BASE_URL}/api/v1/op"),
        (f"{LIST}/knee", "The id “knee” is not in the catalogue."),
        (f"{LIST}/M17.1", f"The id “M17.1” {BY_CODE}?icd10=M17.1"),
        (f"{LIST}/FA01/interventions", f"The id “FA01” {BY_CODE}?icd11=FA01"),
    ],
)
def test_a_404_says_what_was_not_found(
    service: Service, token: str, path: str, detail: str
) -> None:
    """It does not blame the spelling of a path that is spelled as every other."""
    assert body(service.get(path, token=token))["detail"].startswith(detail)


@pytest.mark.shared_service
@pytest.mark.parametrize(
    "path", [LIST, "/infobutton", "/", "/health/live", "/nothing", "/static/evref.00000000.css"]
)
def test_a_well_formed_request_id_is_kept_and_any_other_is_replaced(
    service: Service, path: str
) -> None:
    for kept in ("a", "A.b_c-9", "x" * 64, "5f0c6a1e9b7d4a52"):
        response = service.get(path, headers={"X-Request-ID": kept})
        assert response.headers["X-Request-ID"] == kept

    for given in (None, "", " ", "x" * 65, "a b", "a\tb", "é", "a/b", "a,b", "<x>"):
        headers = {} if given is None else {"X-Request-ID": given}
        new = [service.get(path, headers=headers).headers["X-Request-ID"] for _ in range(2)]
        assert len({given, *new}) == 3
        assert re.fullmatch("[A-Za-z0-9._-]{1,64}", new[0])


def test_without_a_catalogue_nothing_is_served_or_counted(make_service: MakeService) -> None:
    made = make_service()
    key = made.new_key()

    refused = made.get(LIST, token=key.token.text)
    ready = made.get("/health/ready")
    made.publish(Catalogue(entries()))
    made.clock.advance(seconds=1)
    served = made.get(LIST, token=key.token.text)

    problem = assert_problem(refused, 503, "service-unavailable")
    assert problem["detail"] == "No catalogue has been published."
    assert int(refused.headers["Retry-After"]) >= 1
    assert "RateLimit" not in refused.headers
    assert ready.status_code == 503
    assert body(ready) == {
        "status": "unavailable",
        "storage": "answers",
        "catalogue_version": None,
    }
    assert served.status_code == 200
    assert made.admitted(key) == 1
    assert made.get("/health/ready").status_code == 200


@pytest.mark.parametrize("kind", [RuntimeError, _UnknownError])
def test_an_unexpected_error_is_logged_and_not_shown_to_the_client(
    *,
    service: Service,
    token: str,
    failing: _FailingBrowse,
    caplog: pytest.LogCaptureFixture,
    kind: type[Exception],
) -> None:
    failing.error = kind("secret /srv/evref/x.py SELECT * FROM api_keys")

    with caplog.at_level(logging.DEBUG):
        response = service.get(LIST, token=token)

    problem = assert_problem(response, 500, "internal-error")
    assert "secret" not in response.text
    assert problem["request_id"] in caplog.text
    assert "secret" in caplog.text
    assert "Traceback" in caplog.text
    assert token[6:] not in caplog.text


def test_an_error_of_a_page_is_shown_as_a_page(service: Service) -> None:
    for path, method, status in (("/nothing", "GET", 404), ("/", "POST", 405)):
        response = service.request(method, path)

        assert response.status_code == status
        assert response.mimetype == "text/html"
        assert response.headers["X-Request-ID"] in response.text
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("proxies", [0, 1])
def test_no_header_of_a_client_or_proxy_changes_a_response(
    make_service: MakeService, proxies: int
) -> None:
    """The base URL and the scheme come from the operator's setting."""
    service = make_service(proxies=proxies)
    for host in ("a b", "x" * 300, "é", "[::1", "evil.example", "evil.example:99999999", ""):
        claims = {
            "Host": host,
            "Forwarded": "host=evil.example",
            "X-Forwarded-For": "192.0.2.1",
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Proto": "ftp",
            "X-Forwarded-Prefix": "/evil",
        }
        for path in ("/", "/docs", LIST, "/nothing", "/problems"):
            plain, claimed = service.get(path), service.get(path, headers=claims)

            assert claimed.status_code == plain.status_code
            assert "evil" not in claimed.text
            assert len(claimed.get_data()) == len(plain.get_data())


def test_a_framework_error_without_its_own_type_is_a_problem(
    service: Service, token: str, failing: _FailingBrowse
) -> None:
    """RFC 9457 defines `about:blank` for a problem that says no more than its status."""
    failing.error = RequestEntityTooLarge("secret")

    with service.app.test_client() as client:
        response = client.get(LIST, headers={"Authorization": f"Bearer {token}"})

    problem = assert_problem(response, 413)
    assert problem["type"] == "about:blank"
    assert problem["title"] == "Request Entity Too Large"
    assert "secret" not in response.text
