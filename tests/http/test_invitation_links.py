"""The link of an invitation is as good as a password, so nothing repeats it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import quote

import pytest

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
