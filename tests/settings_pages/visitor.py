"""A visitor with a browser, who opens pages and sends their forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser

from werkzeug.test import TestResponse

from evref.domain.access.key import KeyToken
from tests.settings_pages.site import EMAIL, PASSWORD, Site

_TOKEN = re.compile(r"evref_[0-9A-Za-z]{46}")


class Visitor:
    """A browser with its own cookies."""

    def __init__(
        self,
        site: Site,
        *,
        address: str = "192.0.2.1",
        forwarded_for: str | None = None,
        https: bool = False,
    ) -> None:
        self._client = site.app.test_client()
        self._address = {"REMOTE_ADDR": address}
        if https:
            self._address["wsgi.url_scheme"] = "https"
        if forwarded_for is not None:
            self._address |= {
                "HTTP_X_FORWARDED_FOR": forwarded_for,
                "HTTP_X_FORWARDED_HOST": "evil.example",
                "HTTP_X_FORWARDED_PROTO": "https",
            }

    def get(self, path: str, **options: object) -> TestResponse:
        return self._client.open(
            path,
            method="GET",
            environ_base=self._address,
            **options,  # type: ignore[arg-type]
        )

    def head(self, path: str, **options: object) -> TestResponse:
        return self._client.head(path, environ_base=self._address, **options)

    def send(self, path: str, /, **fields: str) -> TestResponse:
        """Send exactly these fields, without opening a page first."""
        return self.send_with({}, path, **fields)

    def send_with(self, headers: Mapping[str, str], path: str, /, **fields: str) -> TestResponse:
        """Send these fields with headers that a browser adds."""
        return self._client.post(path, data=fields, headers=headers, environ_base=self._address)

    def fill_in(self, path: str, /, **fields: str) -> TestResponse:
        """Open the page, change these fields of its form, and send it."""
        return self.send(path, **{**fields_of(self.get(path).text), **fields})

    def sign_in(
        self, email: str = EMAIL, password: str = PASSWORD, *, onwards: str = ""
    ) -> TestResponse:
        path = "/settings/sign-in" + (f"?next={onwards}" if onwards else "")
        return self.fill_in(path, email=email, password=password)

    def cookie(self, name: str) -> str | None:
        cookie = self._client.get_cookie(name)
        return None if cookie is None else cookie.value

    def set_cookie(self, name: str, value: str) -> None:
        self._client.set_cookie(name, value)

    @property
    def is_signed_in(self) -> bool:
        return self.get("/settings/api-keys").status_code == 200


def a_member(site: Site, email: str = EMAIL) -> Visitor:
    """Return a visitor who has signed in."""
    visitor = Visitor(site)
    assert visitor.sign_in(email).status_code == 303
    return visitor


class _Fields(HTMLParser):
    """Collects the fields of a page's own form; it ignores the form of the navigation."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._in_main = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        name, value = attributes.get("name"), attributes.get("value") or ""
        self._in_main |= tag == "main"
        if not self._in_main or tag != "input" or name is None:
            return
        if attributes.get("type") != "radio" or "checked" in attributes:
            self.fields[name] = value


def fields_of(page: str) -> dict[str, str]:
    """Return the fields of a page's form as a browser would send them unchanged."""
    return _Fields(page).fields


def text_of(page: str) -> str:
    """Return the text of the page, without markup."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())


def key_on(page: str) -> str:
    """Return the API key that the page shows."""
    (token,) = set(_TOKEN.findall(unescape(page)))
    return KeyToken(str(token)).text


def shows_a_key(page: str) -> bool:
    return _TOKEN.search(unescape(page)) is not None
