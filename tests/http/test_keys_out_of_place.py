"""What looks like a key, or a mistyped one, is repeated in no answer and no log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import quote

import pytest

from evref.bootstrap import logs
from evref.bootstrap.settings import LogFormat
from evref.domain.access.token import KeyToken
from tests.http.service import INFOBUTTON, Service, assert_problem

LIST = "/api/v1/diagnoses"
KEY = KeyToken.make(0x5EED << 200).text
SECRET = KEY[6:]

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "in capitals": str.upper,
    "without its prefix": lambda key: key[6:],
    "mistyped": lambda key: key[:-1],
    "with a mistyped prefix": lambda key: f"evref{key[6:]}",
    "encoded": lambda key: key.replace("_", "%5F").replace("e", "%65"),
    "encoded twice": lambda key: quote(key.replace("_", "%5F").replace("e", "%65")),
    "encoded in every character": lambda key: "".join(f"%{ord(each):02x}" for each in key),
}

pytestmark = [pytest.mark.shared_service, pytest.mark.parametrize("form", FORMS)]


def assert_not_repeated(text: str) -> None:
    lower = text.lower()
    for start in range(len(SECRET) - 12):
        assert SECRET[start : start + 12].lower() not in lower
    assert "evref_" not in lower
    assert "%65vref" not in lower


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/{}", 404),
        ("/api/v1/{}", 404),
        ("/api/v1/diagnoses/{}", 404),
        ("/api/v1/diagnoses/{}/interventions", 404),
        ("/api/v1/diagnoses?{}=1", 422),
        ("/api/v1/diagnoses?{0}=1&{0}=2", 422),
        ("/api/v1/diagnoses?q=1&q={}", 422),
        ("/api/v1/diagnoses?icd10={}", 422),
        ("/api/v1/diagnoses?module={}", 422),
        ("/infobutton/{}", 404),
        (f"{INFOBUTTON}&{{0}}={{0}}&subTopic.v.dn={{0}}&informationRecipient={{0}}", 200),
        (f"{INFOBUTTON}&mainSearchCriteria.v.dn1={{}}", 200),
        (f"{INFOBUTTON}&mainSearchCriteria.v.c1={{}}&mainSearchCriteria.v.cs1=1.2", 200),
        (f"{INFOBUTTON}&mainSearchCriteria.v.c1={{}}", 422),
        (f"{INFOBUTTON}&mainSearchCriteria.v.c1=M17&mainSearchCriteria.v.cs1={{}}", 422),
        ("/infobutton?mainSearchCriteria.v.dn={}&knowledgeResponseType=text/html", 303),
        ("/fhir/{}", 404),
        ("/fhir/PlanDefinition/{}", 404),
        ("/fhir/ActivityDefinition?{}=1", 400),
        ("/fhir/PlanDefinition?context={}", 400),
        ("/fhir/PlanDefinition?title={}", 200),
        ("/fhir/PlanDefinition?_id=_,{}", 400),
        ("/problems/{}", 404),
        ("/problems?{}=1", 200),
        ("/Problems/?q={}", 308),
        ("/Problems/{}", 404),
        ("/docs/{}", 404),
        ("/settings/{}", 404),
        ("/settings/api-keys/{}", 303),
    ],
)
def test_a_key_in_an_address_is_not_repeated(
    *,
    service: Service,
    token: str,
    caplog: pytest.LogCaptureFixture,
    form: str,
    path: str,
    status: int,
) -> None:
    """Neither in the body nor in a header."""
    sent = path.format(FORMS[form](KEY))

    with caplog.at_level(logging.DEBUG):
        response = service.get(sent, token=token)

    assert response.status_code == status
    if status == 422:
        assert_problem(response, 422, "invalid-parameter")
    assert_not_repeated(response.text)
    assert_not_repeated(str(response.headers).replace("evref_forms", ""))
    assert_not_repeated(caplog.text)


def test_a_key_as_request_id_is_replaced(service: Service, form: str) -> None:
    """On a problem and on a page."""
    sent = FORMS[form](KEY)

    for path in (LIST, "/nothing"):
        response = service.get(path, headers={"X-Request-ID": sent})
        assert response.headers["X-Request-ID"] != sent
        assert_not_repeated(response.text + str(response.headers))


def test_a_key_in_the_access_log_is_not_repeated(
    service: Service, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    """As the path, as the request id and as the method."""
    from evref.adapters.inbound.web.observation import CompletedRequest, log_access  # noqa: PLC0415

    sent = FORMS[form](KEY)
    environ = {"REQUEST_METHOD": sent, "PATH_INFO": f"/{sent}", "HTTP_X_REQUEST_ID": sent}

    with caplog.at_level(logging.INFO):
        log_access(CompletedRequest(environ, 404, 0.001))

    assert caplog.records
    for record in caplog.records:
        assert_not_repeated(" ".join(map(str, vars(record).values())))


@pytest.mark.parametrize("log_format", LogFormat)
def test_a_key_in_a_line_of_a_library_is_not_logged(
    service: Service, capfd: pytest.CaptureFixture[str], form: str, log_format: LogFormat
) -> None:
    """Neither in its message nor in a traceback, not even of the cause of an error."""
    sent = FORMS[form](KEY)
    before = logging.root.handlers[:], logging.root.level
    error = ValueError(sent)
    error.__cause__ = KeyError(sent)

    logs.configure(log_format)
    try:
        logging.getLogger("gunicorn.error").error("Not readable: %r", sent, exc_info=error)
    finally:
        logging.root.handlers[:], logging.root.level = before

    logged = capfd.readouterr().err
    assert "Not readable" in logged
    assert "ValueError" in logged
    assert_not_repeated(logged)


def test_a_key_as_the_page_to_go_on_to_is_not_repeated(service: Service, form: str) -> None:
    """The sign-in form is sent to the address that it came from."""
    response = service.get(f"/settings/sign-in?next=/settings/api-keys/{FORMS[form](KEY)}")

    assert response.status_code == 200
    assert_not_repeated(response.text.replace("evref_forms", ""))
