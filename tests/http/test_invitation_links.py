"""The link of an invitation is as good as a password, so nothing repeats it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import quote

import pytest

from evref.bootstrap.logs import WithoutKeys
from evref.domain.accounts.invitation import InvitationToken
from tests.http.service import Service

TOKEN = InvitationToken.make(0x5EED << 256).text

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "cut short by a character": lambda token: token[:-1],
    "with a full stop from the mail": lambda token: f"{token}.",
    "encoded": lambda token: token.replace("J", "%4A").replace("o", "%6f"),
    "encoded twice": lambda token: quote(token.replace("J", "%4A").replace("o", "%6f")),
    "encoded in every character": lambda token: "".join(f"%{ord(each):02x}" for each in token),
}

PATHS = (
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
)

pytestmark = pytest.mark.parametrize("form", FORMS)


def assert_not_repeated(text: str) -> None:
    for start in range(len(TOKEN) - 12):
        assert TOKEN[start : start + 12] not in text
    assert "%4A%6f".lower() not in text.lower()


def test_a_link_in_an_address_is_in_no_answer_and_no_log(
    service: Service, token: str, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    """Neither in a page, an error, a redirect nor a header; at the most talkative level."""
    for path in PATHS:
        sent = path.format(FORMS[form](TOKEN))
        with caplog.at_level(logging.DEBUG):
            response = service.get(sent, token=token, headers={"Referer": f"http://host{sent}"})

        assert response.status_code < 500
        assert_not_repeated(response.text)
        assert_not_repeated(str(response.headers))
    assert_not_repeated(caplog.text)


def test_a_link_is_not_in_the_access_log(
    service: Service, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    """Neither as the path nor as the request id."""
    from evref.adapters.inbound.web.observation import CompletedRequest, log_access  # noqa: PLC0415

    sent = FORMS[form](TOKEN)
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": f"/settings/invitation/{sent}",
        "HTTP_X_REQUEST_ID": sent,
    }

    with caplog.at_level(logging.INFO):
        log_access(CompletedRequest(environ, 200, 0.001))

    assert caplog.records
    for record in caplog.records:
        assert_not_repeated(" ".join(map(str, vars(record).values())))


def test_a_link_in_a_line_of_a_library_is_not_logged(service: Service, form: str) -> None:
    """Such as a server's about a request that it could not read."""
    record = logging.LogRecord(
        "gunicorn.error", logging.WARNING, "", 0, "Invalid request: %r", (FORMS[form](TOKEN),), None
    )

    assert WithoutKeys().filter(record)

    assert_not_repeated(record.getMessage())
