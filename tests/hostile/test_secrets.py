"""Logs contain no secrets, and a scanner finds keys that have leaked."""

from __future__ import annotations

import logging
import re
import secrets
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.key import KeyToken
from tests.settings_pages.site import PASSWORD, Site, on_sqlite
from tests.settings_pages.visitor import Visitor, a_member

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "explanation" / "security.md"
EMAIL = "ward@example.org"
WRONG_PASSWORD = "thirteen doors without a house"


def routes() -> Iterator[tuple[str, str]]:
    """Yield every method and path of the service, with an example for each variable part."""
    app = create_app(Settings(storage=StorageKind.MEMORY))
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<[^>]*>", "knee-osteoarthritis", rule.rule)
        for method in sorted((rule.methods or set()) | {"POST", "DELETE", "OPTIONS"}):
            yield method, path
    yield "GET", "/metrics"
    yield "GET", "/none"


def test_no_secret_is_left_in_the_most_detailed_log_in_storage_or_on_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has all libraries at DEBUG, for every path and method, and the access log."""
    caplog.set_level(logging.DEBUG)
    site = Site(on_sqlite(tmp_path, access_log=True))
    member = a_member(site)
    key = site.new_key().token.text
    client = site.app.test_client()
    invitation, used = site.invite(), site.invite("second@example.org")
    visitor = Visitor(site)
    visitor.get(invitation)
    visitor.fill_in(used, password=PASSWORD, repeated=PASSWORD)

    for method, path in routes():
        client.open(path, method=method, headers={"Authorization": f"Bearer {key}"}).close()
        member.get(path).close()
    member.send("/settings/sign-in", email=EMAIL, password=WRONG_PASSWORD)

    assert caplog.records
    pages = (member.get(path).text for path in ("/settings/api-keys", "/settings/audit-log"))
    left = "".join([caplog.text, site.dump(), *pages])
    links = (path.rsplit("/", 1)[1] for path in (invitation, used))
    session = str(member.cookie("evref_session"))
    for secret in (key, key[6:46], PASSWORD, WRONG_PASSWORD, session, *links):
        assert secret not in left
    site.close()


def test_a_secret_scanner_finds_every_key_by_the_published_pattern() -> None:
    (pattern,) = re.findall(r"^\s+(evref_\[.*)$", DOCUMENTATION.read_text(), re.MULTILINE)
    for _ in range(200):
        text = KeyToken.make(secrets.randbelow(KeyToken.SECRETS)).text
        for around in ("{}", "KEY={}\n", '"{}"', "Bearer {}", "https://x/?k={}&a=b", "({})."):
            (key,) = re.findall(pattern, around.format(text))
            assert key == text
            assert checksum_as_published(key[:46]) == key[46:]


def checksum_as_published(body: str) -> str:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number = zlib.crc32(body.encode())
    return "".join(digits[number // 62**place % 62] for place in range(5, -1, -1))
