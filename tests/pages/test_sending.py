"""How pages are sent: content security policy, caching, and no counting."""

from __future__ import annotations

import re

import pytest
from werkzeug.test import TestResponse

from evref.domain.principal import Readers
from evref.testing.builders import OPERATOR, a_catalogue
from tests.pages.site import EVERY_PAGE, Seen, a_site, bundled_site
from tests.settings_pages.visitor import Visitor


@pytest.mark.parametrize(
    ("path", "is_framed"),
    [
        ("/catalogue/knee-osteoarthritis", True),
        ("/catalogue/nobody", True),
        ("/evidence", True),
        ("/", True),
        ("/docs", False),
        ("/settings/sign-in", False),
        ("/settings/nothing", False),
        ("/api/v1/diagnoses", False),
    ],
)
def test_a_record_shows_the_pages_for_readers_in_a_frame(path: str, *, is_framed: bool) -> None:
    """This needs an allowed origin; settings pages are never framed."""
    site = a_site(Readers.PUBLIC, frame_ancestors=("https://ehr.example.org", "'self'"))

    policy = Visitor(site).get(path).headers["Content-Security-Policy"]

    allowed = "https://ehr.example.org 'self'" if is_framed else "'none'"
    assert f"frame-ancestors {allowed}" in policy


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_a_page_runs_and_fetches_nothing_but_the_service_s_own(path: str) -> None:
    answer = Visitor(bundled_site()).get(path)
    seen = Seen(answer.text)

    assert seen.inline == []
    assert len(seen.ids) == len(set(seen.ids))
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy.get("script-src", "'none'") in {"'none'", "'self'"}
    fetched = [
        value
        for tag, name, value in seen.attributes
        if name == "src" or (tag == "link" and value.endswith((".css", ".svg", ".png")))
    ]
    assert fetched
    for address in fetched:
        assert re.match("/[^/]", address)
        assert Visitor(bundled_site()).get(address, buffered=True).status_code == 200


def test_pages_are_not_counted() -> None:
    site = a_site(Readers.PUBLIC)
    key = site.new_key(limit=5)
    headers = {"Authorization": f"Bearer {key.token.text}"}

    for _ in range(6):
        Visitor(site).get("/catalogue/knee-osteoarthritis", headers=headers)

    assert site.container.manage_keys().history(OPERATOR, key.key.id) == ()


PATHS = ["/", "/catalogue", "/catalogue?q=knee", "/catalogue/knee-osteoarthritis", "/evidence"]


def test_a_page_is_sent_and_cached_as_data_is() -> None:
    client = a_site(Readers.PUBLIC, a_catalogue()).app.test_client()

    def ask(path: str, method: str, coding: str, etag: str = "") -> TestResponse:
        sent = {"Accept-Encoding": coding, "X-Request-ID": "same", "If-None-Match": etag}
        return client.open(path, method=method, headers=sent)

    for path in (*PATHS, "/docs", "/problems"):
        plain, packed = (ask(path, "GET", coding) for coding in ("identity", "gzip"))
        assert plain.headers["ETag"] != packed.headers["ETag"]
        assert packed.headers["Content-Encoding"] == "gzip"
        assert len(packed.get_data()) < len(plain.get_data())
        for coding, first in (("identity", plain), ("gzip", packed)):
            again, head = (ask(path, method, coding) for method in ("GET", "HEAD"))
            unchanged = ask(path, "GET", coding, first.headers["ETag"])

            assert re.fullmatch('"[^"]+"', first.headers["ETag"])
            assert first.status_code == again.status_code == head.status_code == 200
            assert sorted(first.headers) == sorted(again.headers) == sorted(head.headers)
            assert again.get_data() == first.get_data()
            assert (unchanged.status_code, unchanged.get_data()) == (304, b"")
            without = {"Content-Length", "Content-Type", "Content-Encoding"}
            kept = [field for field in sorted(first.headers) if field[0] not in without]
            assert sorted(unchanged.headers) == kept
