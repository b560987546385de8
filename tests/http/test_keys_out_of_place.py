"""No response and no log repeats what looks like an API key or the link of an invitation."""

from __future__ import annotations

import logging
from urllib.parse import quote

import pytest

from evref.adapters.inbound.web.host import CompletedRequest
from evref.adapters.inbound.web.service import log_access
from evref.bootstrap import logs
from evref.bootstrap.settings import LogFormat
from evref.domain.access.key import KeyToken
from evref.domain.accounts.invitation import InvitationToken
from tests.http.service import INFOBUTTON, Service, assert_problem

LIST = "/api/v1/diagnoses"
KEY = KeyToken.make(0x5EED << 200).text
SECRET = KEY[6:]


def encoded_in_every_character(text: str) -> str:
    return "".join(f"%{ord(character):02x}" for character in text)


FORMS = (
    KEY,
    SECRET,
    quote(KEY.replace("_", "%5F").replace("e", "%65")),
    encoded_in_every_character(KEY),
)

INVITATION = InvitationToken.make(0x5EED << 256).text

pytestmark = pytest.mark.shared_service


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
    service: Service, token: str, caplog: pytest.LogCaptureFixture, path: str, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    for form in FORMS:
        response = service.get(path.format(form), token=token)

        assert response.status_code == status
        if status == 422:
            assert_problem(response, 422, "invalid-parameter")
        assert_not_repeated(response.text)
        assert_not_repeated(str(response.headers).replace("evref_forms", ""))
    assert_not_repeated(caplog.text)


def test_a_key_as_request_id_is_replaced(service: Service) -> None:
    for form in FORMS:
        for path in (LIST, "/nothing"):
            response = service.get(path, headers={"X-Request-ID": form})
            assert response.headers["X-Request-ID"] != form
            assert_not_repeated(response.text + str(response.headers))


def test_a_key_in_the_access_log_is_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    """The key is sent as the path, the request id and the method."""
    caplog.set_level(logging.INFO)
    for form in FORMS:
        environ = {"REQUEST_METHOD": form, "PATH_INFO": f"/{form}", "HTTP_X_REQUEST_ID": form}
        log_access(CompletedRequest(environ, 404, 0.001))

    assert len(caplog.records) == len(FORMS)
    for record in caplog.records:
        assert_not_repeated(" ".join(map(str, vars(record).values())))


@pytest.mark.parametrize("sent", FORMS)
@pytest.mark.parametrize("log_format", LogFormat)
def test_a_key_in_a_line_of_a_library_is_not_logged(
    capfd: pytest.CaptureFixture[str], sent: str, log_format: LogFormat
) -> None:
    """Neither the message nor the traceback has it, not even that of the cause of an error."""
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


def test_a_key_as_the_page_after_the_sign_in_is_not_repeated(service: Service) -> None:
    """The sign-in form is sent to its own address, which has the key in `next`."""
    for form in FORMS:
        response = service.get(f"/settings/sign-in?next=/settings/api-keys/{form}")

        assert response.status_code == 200
        assert_not_repeated(response.text.replace("evref_forms", ""))


@pytest.mark.parametrize(
    "path",
    [
        "/{}",
        "/join/{}",
        "/settings/{}",
        "/settings/join/{}",
        "/settings/invitation/{}",
        "/settings/invitation/{}/accept",
        "/settings/api-keys/{}",
        "/settings/sign-in?next=/settings/invitation/{}",
        "/api/v1/{}",
        "/api/v1/diagnoses?{}=1",
        "/api/v1/diagnoses?q=1&q={}",
        "/catalogue?q={}",
    ],
)
def test_the_link_of_an_invitation_is_in_no_response_and_no_log(
    service: Service, token: str, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    """The link must be as secret as a password."""
    caplog.set_level(logging.DEBUG)
    encoded = INVITATION.replace("J", "%4A").replace("o", "%6f")
    for form in (
        INVITATION,
        INVITATION[:-1],
        f"{INVITATION}.",
        encoded,
        quote(encoded),
        encoded_in_every_character(INVITATION),
    ):
        sent = path.format(form)
        response = service.get(sent, token=token, headers={"Referer": f"http://host{sent}"})

        assert response.status_code < 500
        for text in (response.text, str(response.headers), caplog.text):
            assert "%4A%6f".lower() not in text.lower()
            for start in range(len(INVITATION) - 12):
                assert INVITATION[start : start + 12] not in text
